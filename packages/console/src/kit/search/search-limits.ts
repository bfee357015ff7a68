/** Equals the largest `skip` that the feed's search accepts. */
export const SKIP_MAX = 3000;

export const TEXT_LENGTH_MAX = 256;
