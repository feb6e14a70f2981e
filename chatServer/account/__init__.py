"""What a user may do with all that is his: take it along, bring it back, have it erased."""
