import { readCookies } from "@sealhouse/identity";

/** The colors that a person chose; without a choice, those of the system. */
export type Theme = "light" | "dark";

/** Path of the form that changes the theme. */
export const THEME_PATH = "/theme";

/** Name of the cookie with the theme. */
export const THEME_COOKIE = "theme";

/** Returns the theme that the person of a request chose. */
export function themeIn({ headers }: Pick<Request, "headers">): Theme | undefined {
  return parseTheme(readCookies(headers.get("cookie")).get(THEME_COOKIE));
}

/** Undefined for anything else, such as the theme of the system. */
export function parseTheme(text: string | null | undefined): Theme | undefined {
  return text === "light" || text === "dark" ? text : undefined;
}
