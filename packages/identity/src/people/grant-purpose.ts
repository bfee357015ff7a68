/** Purpose of the key ring for grants of identity providers. */
export const GRANT_PURPOSE = "sign-in-grant";
