/**
 * Milliseconds for which a presigned URL is valid: longer than a client takes to follow it, also
 * a client that waits for a free connection.
 */
export const PRESIGNED_MS = 10 * 60_000;
