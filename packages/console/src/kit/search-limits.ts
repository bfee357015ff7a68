/** The feed's own limits; further back nobody looks. */
export const SKIP_MAX = 3000;

export const TEXT_LENGTH_MAX = 256;
