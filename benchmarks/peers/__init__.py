"""What people would use instead: small apps in an environment of their own, each with its best known settings."""
