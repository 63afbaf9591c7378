-- Why somebody dismissed a signal; null where no reason was given, or where nobody did.
alter table signals add column dismiss_reason text
  check (dismiss_reason in ('not_relevant', 'wrong_match', 'too_late', 'already_known'));
