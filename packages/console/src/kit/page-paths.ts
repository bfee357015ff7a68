export const IMAGE_PAGES = "/images";

export const NPM_PAGES = "/npm-packages";

export const ADMINISTRATION_PAGES = "/administration";
