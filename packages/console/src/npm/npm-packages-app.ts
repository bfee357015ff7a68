import { Hono } from "hono";
import { missingPageResponse } from "../kit/refusals/missing-page.ts";
import type { Site } from "../kit/page/model.ts";
import type { PackagesOptions } from "../readme/readme-renderer.ts";
import type { PageOfVersions } from "../kit/packages/version-pages.ts";
import { pageOfVersions } from "../kit/packages/version-pages.ts";
import { isRefusal, refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import { createReadmeRenderer } from "../readme/readme-renderer.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { NpmPackageAnswer, NpmQuery, NpmSearchAnswer } from "./model.ts";
import type { NpmNamed } from "../kit/links/npm-address.ts";
import { npmPackagePath, parseNpmPath } from "../kit/links/npm-address.ts";
import { NPM_PAGES } from "../kit/page/page-paths.ts";
import { npmPackagePageResponse } from "./npm-package-page.ts";
import { parseNpmQuery } from "./npm-query.ts";
import { npmSearchPageResponse } from "./npm-search-page.ts";

/** Lookups of the npm pages. Each method authorizes the request itself. */
export type NpmPackagesPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly search: (from: From, query: NpmQuery) => Promise<NpmSearchAnswer>;
  /**
   * Returns a version's page. `version` may be a dist-tag; the default is `latest`, or the newest
   * version without it. Names are the unvalidated text of the URL path.
   */
  readonly page: (
    from: From,
    pageRequest: NpmNamed & { readonly versions: PageOfVersions },
  ) => Promise<NpmPackageAnswer>;
};

/** Serves the search page and the package pages of npm packages. */
export function createNpmPackagesApp(ports: NpmPackagesPorts, options: PackagesOptions = {}): Hono {
  const { renderReadme = createReadmeRenderer() } = options;
  const app = new Hono();

  app.get(NPM_PAGES, (c) =>
    shownPage(ports, c, async ({ site, address, from }) => {
      const query = parseNpmQuery(new URL(c.req.url).searchParams);
      const answer = await ports.search(from, query);
      if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
      return npmSearchPageResponse(site, address, { query, answer });
    }),
  );

  app.get(`${NPM_PAGES}/*`, (c) => {
    const target = parseNpmPath(new URL(c.req.url).pathname.slice(NPM_PAGES.length + 1));
    if (!target) return c.notFound();
    return shownPage(ports, c, async ({ site, address, from }) => {
      const answer = await ports.page(from, { ...target, versions: pageOfVersions(c) });
      if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
      if (answer.status === "absent") return missing({ site, address }, target, answer);
      const { page } = answer;
      const isText = page.readme.status === "text";
      return npmPackagePageResponse(site, address, {
        page,
        readme: isText ? await renderReadme(page.readme.text) : undefined,
        isVersionNamed: target.version !== undefined,
      });
    });
  });
  return app;
}

function missing(
  { site, address }: Pick<Shown, "site" | "address">,
  { name, version }: NpmNamed,
  { near, withheld = [] }: Extract<NpmPackageAnswer, { readonly status: "absent" }>,
): Promise<Response> {
  return missingPageResponse(site, address, {
    name: version === undefined ? name : `${name} ${version}`,
    near,
    withheld,
    isWithheld: version !== undefined && withheld.length > 0,
    pathOf: (nearName) => npmPackagePath(address, { name: nearName }),
    of: "npm",
  });
}
