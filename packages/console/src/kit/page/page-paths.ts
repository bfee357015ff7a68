export const IMAGE_PAGES = "/images";

export const NPM_PAGES = "/npm-packages";

export const ADMINISTRATION_PAGES = "/administration";

/** Path of the tokens of the user who is signed in. */
export const TOKENS = "/account/tokens";
