import type { PackagesOptions } from "../readme/readme-renderer.ts";
import { Hono } from "hono";
import { createReadmeRenderer } from "../readme/readme-renderer.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import { licensePageResponse } from "./license-page.ts";
import { packagePath } from "../kit/links/nuget-address.ts";
import { missingPageResponse } from "../kit/refusals/missing-page.ts";
import type { LicenseAnswer, PackageAnswer, PackageQuery, PackageSearchAnswer } from "./model.ts";
import type { Site } from "../kit/page/model.ts";
import { packagePageResponse } from "./package-page.ts";
import { isRefusal, refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import { searchPageResponse } from "./search-page.ts";
import { parsePackageQuery } from "./search-query.ts";
import type { PageOfVersions } from "../kit/packages/version-pages.ts";
import { pageOfVersions } from "../kit/packages/version-pages.ts";

/** Lookups of the NuGet pages. Each method authorizes the request itself. */
export type PackagesPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly search: (from: From, query: PackageQuery) => Promise<PackageSearchAnswer>;
  /**
   * Returns a version's page; the default is the newest listed stable version, else the newest one.
   */
  readonly page: (
    from: From,
    pageRequest: {
      readonly id: string;
      readonly version?: string;
      readonly versions: PageOfVersions;
    },
  ) => Promise<PackageAnswer>;
  /** Returns the license text. Found only when the license is a file in the package. */
  readonly license: (from: From, licenseRequest: PackageIdentity) => Promise<LicenseAnswer>;
};

type PackageIdentity = { readonly id: string; readonly version: string };

/** Serves the search, package and license pages of NuGet packages. */
export function createPackagesApp(ports: PackagesPorts, options: PackagesOptions = {}): Hono {
  const { renderReadme = createReadmeRenderer() } = options;
  const app = new Hono();

  app.get("/packages", (c) =>
    shownPage(ports, c, async ({ site, address, from }) => {
      const query = parsePackageQuery(new URL(c.req.url).searchParams);
      const answer = await ports.search(from, query);
      if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
      return searchPageResponse(site, address, { query, answer });
    }),
  );

  app.get("/packages/:id/:version?", (c) => {
    const { id, version } = c.req.param();
    return shownPage(ports, c, async ({ site, address, from }) => {
      const target = version === undefined ? { id } : { id, version };
      const versions = pageOfVersions(c);
      const answer = await ports.page(from, { ...target, versions });
      if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
      if (answer.status === "absent") return missing({ site, address, from }, target, answer);
      const { page } = answer;
      const isText = page.readme.status === "text";
      return packagePageResponse(site, address, {
        page,
        readme: isText ? await renderReadme(page.readme.text) : undefined,
        isVersionNamed: version !== undefined,
      });
    });
  });

  app.get("/packages/:id/:version/license", (c) => {
    const target = c.req.param();
    return shownPage(ports, c, async ({ site, address, from }) => {
      const answer = await ports.license(from, target);
      if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
      if (answer.status === "absent") return missing({ site, address, from }, target, answer);
      return licensePageResponse(site, address, answer);
    });
  });
  return app;
}

function missing(
  { site, address }: Shown,
  { id, version }: { readonly id: string; readonly version?: string },
  { near, withheld = [] }: Extract<PackageAnswer, { readonly status: "absent" }>,
): Promise<Response> {
  const name = version === undefined ? id : `${id} ${version}`;
  return missingPageResponse(site, address, {
    name,
    near,
    withheld,
    isWithheld: version !== undefined && withheld.length > 0,
    pathOf: (nearName) => packagePath(address, { id: nearName }),
    of: "nuget",
  });
}
