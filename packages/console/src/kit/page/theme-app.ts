import { parseReturnPath } from "@sealhouse/identity";
import { Hono } from "hono";
import { readForm } from "../forms/posted-form.ts";
import type { Site } from "./model.ts";
import { shownPage } from "./shown-page.ts";
import { parseTheme, THEME_COOKIE, THEME_PATH } from "./theme.ts";

const YEAR_SECONDS = 365 * 24 * 3_600;
const FORM_BYTES_MAX = 4_096;

/** Changes the theme without a script: `POST /theme`. Other sites may learn the cookie. */
export function createThemeApp(ports: {
  readonly site: (request: Request, env: unknown) => Site;
}): Hono {
  const app = new Hono();
  app.post(THEME_PATH, (c) =>
    shownPage(ports, c, async ({ address }) => {
      const values = (await readForm(c, FORM_BYTES_MAX)) ?? new URLSearchParams();
      const theme = parseTheme(values.get("theme"));
      const life = theme === undefined ? 0 : YEAR_SECONDS;
      const secure = address.secure ? "; Secure" : "";
      const terms = `Path=/; SameSite=Lax; Max-Age=${life}${secure}`;
      const headers = {
        location: address.root + parseReturnPath(values.get("returnUrl")),
        "cache-control": "no-store",
        "set-cookie": `${THEME_COOKIE}=${theme ?? ""}; ${terms}`,
      };
      return new Response(undefined, { status: 303, headers });
    }),
  );
  return app;
}
