"""Side by side with what people would use instead: one Postgres, one scripted model, ratios within one run."""
