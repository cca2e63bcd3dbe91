"""Who asks, by a signed token (JWT, RFC 7519)."""
