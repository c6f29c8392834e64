"""What a runtime of this kind is observed to do, statement by statement, and who holds ours to it.

The number is that of the statement. The value is the name of a test, or a sentence that says why
there is none: some statements are about the host (models, transcripts, sessions), and some we
answer otherwise on purpose.
"""

from __future__ import annotations

from typing import Final

STATEMENTS: Final[dict[int, str]] = {
    # Definition and schema
    1: "test_D1_a_bad_schema_fails_at_the_definition",
    2: "Every definition is prepared when it is made, so there is none that trips a step later.",
    3: "Schemas are JSON and have no asynchronous checks.",
    4: "test_D1_a_bad_schema_fails_at_the_definition",
    5: "test_D2_the_model_sees_name_description_and_a_clean_schema",
    6: "test_D2_the_model_sees_name_description_and_a_clean_schema",
    7: "test_D1_preparing_twice_gives_the_same_object",
    8: "test_D1_a_definition_does_not_change_afterwards",
    9: "test_D1_an_empty_name_and_a_handler_that_cannot_be_called_are_refused",
    10: "Otherwise: arguments are never coerced; what was shown is what runs.",
    11: "test_D2_an_empty_description_is_absent",
    # Binding
    12: "test_D3_binding_adds_the_owner_and_a_read_only_schema",
    13: "test_D3_the_default_slot_is_the_middleware_id_and_a_capability_names_it",
    14: "test_D4_two_tools_of_one_name_name_both_owners",
    15: "The host makes a catalog for each step; none changes or lives on by itself.",
    16: "Catalogs and definitions cannot be changed, so there is no mutation to observe.",
    17: "Digests of a step's configuration are the host's; ours are of single tools.",
    # Sealing
    18: "test_S1_an_unknown_name_fails_next_to_a_valid_sibling",
    19: "test_S1_arguments_against_the_schema_are_told_by_path_and_keyword",
    20: "test_S1_each_of_two_equal_ids_fails_and_keeps_what_the_provider_knows",
    21: "test_S2_a_sealed_call_cannot_be_changed",
    22: "test_E4_later_changes_by_the_tool_do_not_show",
    23: "test_S1_any_denial_beats_any_question",
    24: "The host hands over the calls that it wants run; there is no replacing afterwards.",
    25: "As 24: sealed calls cannot be replaced.",
    26: "test_S1_an_unknown_name_fails_next_to_a_valid_sibling",
    27: "test_V1_events_follow_a_call_through_its_pauses",
    28: "test_S1_invalid_arguments_come_before_a_denial",
    29: "Arguments are JSON before they are validated, and nothing transforms them.",
    30: "Reading a model's answer is the host's; a call that is none fails alone.",
    # Execution
    31: "test_E2_siblings_start_together_and_are_reported_in_call_order",
    32: "test_E3_a_raise_becomes_execution_failed",
    33: "test_E3_a_value_that_is_no_outcome_is_an_invalid_result",
    34: "test_mixed_outcomes_stand_in_order_beside_what_is_deferred",
    35: "test_V1_started_comes_before_completed_which_tells_kind_and_code",
    36: "test_C1_a_context_carries_the_ids_of_its_call",
    37: "Prompts are the host's; the form of a result is held by a test of its JSON.",
    38: "test_results_have_the_json_form_of_the_page",
    39: "Model steps are the host's.",
    40: "test_E3_output_that_is_no_json_is_invalid_even_without_a_schema",
    41: "test_E4_only_completed_output_is_validated",
    # Capability state
    42: "test_C2_state_is_made_once_a_session_and_shared_by_concurrent_calls",
    43: "test_C2_states_are_disposed_in_reverse_order_even_if_one_fails",
    44: "test_C2_a_failing_factory_fails_the_calls_with_its_code",
    45: "test_C2_a_state_that_is_being_made_is_awaited_and_disposed_at_the_end",
    46: "test_C2_a_session_that_begins_again_gets_a_new_state",
    47: "test_C2_states_are_disposed_in_reverse_order_even_if_one_fails",
    # Interactions
    48: "test_P5_only_the_answered_call_runs_again_with_the_same_invocation_id",
    49: "test_P5_only_the_answered_call_runs_again_with_the_same_invocation_id",
    50: "test_E1_a_refused_gate_lets_the_others_go",
    51: "test_P2_a_reply_needs_a_question_of_its_kind_that_is_open",
    52: "test_P7_nothing_expires_without_a_deadline",
    53: "test_P8_ungated_siblings_that_never_started_are_cancelled_too",
    54: "Queues of inputs are the host's.",
    55: "Interrupts between steps are the host's.",
    56: "A conversation's order of events is the host's.",
    57: "Events carry the ids of their call; inputs are the host's.",
    58: "test_V1_the_event_of_a_question_has_its_call_and_its_prompt",
    59: "Otherwise: all gates of a batch are visible at once and answered in any order.",
    60: "test_P5_two_askers_are_answered_in_reverse_each_with_its_own",
    61: "test_P5_a_second_pause_starts_clean",
    62: "test_P2_a_reply_needs_a_question_of_its_kind_that_is_open",
    63: "test_P4_a_refusal_denies_and_tells_the_handler_of_refusals",
    # Deferral, record, continuation
    64: "test_F1_a_deferral_leaves_the_token_with_the_host",
    65: "Inputs of a session are the host's.",
    66: "test_mixed_outcomes_stand_in_order_beside_what_is_deferred",
    67: "test_F2_settling_completes_one_call_and_runs_none",
    68: "test_R3_a_call_is_started_in_the_record_before_its_handler_is_entered",
    69: "test_R3_nothing_runs_that_could_not_be_written_down",
    70: "test_R3_what_a_dead_worker_had_started_is_uncertain_when_its_lease_has_run_out",
    71: "Transcripts that start a session are the host's; records that are not valid are refused.",
    72: "test_R3_of_many_replies_in_many_processes_one_claims",
    73: "test_E9_a_cancelled_run_is_recorded_as_cancelled_with_what_had_ended",
    74: "test_R3_a_result_that_comes_after_the_call_was_settled_is_dropped_and_logged",
    75: "test_R2_another_process_goes_on_where_the_first_has_stopped",
    76: "test_F2_settling_twice_is_rejected_with_the_recorded_result",
    77: "test_R1_nothing_runs_of_a_record_that_is_refused",
    78: "test_P8_cancelling_interrupts_what_runs_here_and_keeps_what_it_finishes",
    79: "test_R3_siblings_end_before_a_store_that_failed_is_told_of",
    80: "test_P8_cancelling_ends_what_is_unresolved_and_keeps_results",
    81: "Otherwise: work that was lost is uncertain, and never runs again by itself.",
}
