-- Why somebody dismissed a signal; null where no reason was given, or where nobody did.
alter table signals add column dismiss_reason text;
-- Apart from the column: Citus does not take both in one statement.
alter table signals add constraint signals_dismiss_reason_check
  check (dismiss_reason in ('not_relevant', 'wrong_match', 'too_late', 'already_known'));
