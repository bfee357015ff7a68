import { Hono } from "hono";
import {
  GROUPS,
  NEW_SOURCE,
  RULES,
  SOURCES,
  TARGETS,
  USERS,
} from "./administration/administration-page.ts";
import { ADMINISTRATION_PAGES, IMAGE_PAGES, NPM_PAGES, TOKENS } from "./kit/page/page-paths.ts";
import type { Site } from "./kit/page/model.ts";
import { shownPage } from "./kit/page/shown-page.ts";
import { ACCOUNT } from "./sign-in/account-page.ts";

/** Pages that were elsewhere before. */
const OLDER_SOURCES = `${ADMINISTRATION_PAGES}/sources`;
const OLDER_FORMS: ReadonlyMap<string, string> = new Map([
  [`${ADMINISTRATION_PAGES}/new-source`, NEW_SOURCE],
  [`${ADMINISTRATION_PAGES}/new-rule`, `${RULES}/new`],
  [OLDER_SOURCES, SOURCES],
]);

const OLDER_NPM_PACKAGES = "/npm/packages/";

/** Pages of the screens that the older host had below `/Account`, which ignored letter case. */
const OLDER_SCREENS: ReadonlyMap<string, string> = new Map([
  ["/account/login", "/sign-in"],
  ["/account/accessdenied", ACCOUNT],
  ["/account/apikeys", TOKENS],
  ["/account/users", USERS],
  ["/account/packagesources", SOURCES],
  ["/account/packagegroups", GROUPS],
  ["/account/publishtargets", TARGETS],
  ["/account/auditlog", ADMINISTRATION_PAGES],
  ["/account/settings", ADMINISTRATION_PAGES],
]);

/**
 * Redirects the addresses that pages had in BaGet and its successors: `/feed`, `/npm`, `/npm/feed`,
 * `/npm/packages/{name}`, `/oci`, `/oci/{segment}` and
 * `/oci[/{segment}]/repos/{name}[/{reference}]`, and the screens below `/Account`.
 */
export function createOlderAddressesApp(ports: {
  readonly site: (request: Request, env: unknown) => Site;
}): Hono {
  const app = new Hono();
  app.get("*", async (c, next) => {
    const page = pageOfOlderAddress(new URL(c.req.url).pathname);
    if (page === undefined) return next();
    return shownPage(ports, c, ({ address }) => c.redirect(`${address.root}${page}`, 301));
  });
  return app;
}

/** Returns the current path for an old one, still percent-encoded; undefined for other paths. */
export function pageOfOlderAddress(path: string): string | undefined {
  const plain = path.replace(/\/$/, "");
  const screen = OLDER_SCREENS.get(plain.toLowerCase());
  if (screen !== undefined) return screen;
  const form = OLDER_FORMS.get(plain);
  if (form !== undefined) return form;
  if (plain.startsWith(`${OLDER_SOURCES}/`)) return SOURCES + plain.slice(OLDER_SOURCES.length);
  if (plain === "/feed" || plain === "/npm/feed") return "/#connect";
  if (plain === "/npm") return NPM_PAGES;
  if (plain.startsWith(OLDER_NPM_PACKAGES)) {
    return `${NPM_PAGES}/${plain.slice(OLDER_NPM_PACKAGES.length)}`;
  }
  const [, segment, repository, reference] =
    /^\/oci(?:\/([^/]+))?\/repos\/([^/]+)(?:\/([^/]+))?$/.exec(plain) ?? [];
  if (repository !== undefined) {
    const name = segment === undefined ? repository : `${segment}/${repository}`;
    return `${IMAGE_PAGES}/${name.replaceAll(/%2f/gi, "/")}${suffixOf(reference)}`;
  }
  return /^\/oci(?:\/[^/]+)?$/.test(plain) ? IMAGE_PAGES : undefined;
}

function suffixOf(reference: string | undefined): string {
  if (reference === undefined) return "";
  const plain = reference.replaceAll(/%3a/gi, ":");
  return plain.includes(":") ? `@${plain}` : `:${plain}`;
}
