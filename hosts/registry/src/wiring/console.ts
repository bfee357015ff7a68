import type { Protocol } from "@sealhouse/request-types";
import type { FrontPageModel, LatestPackage, SigningState } from "@sealhouse/console";
import { unavailableOf } from "@sealhouse/http-responses";
import { lowerId } from "@sealhouse/nuget-protocol";
import { Hono } from "hono";
import { createPackageAuthorize } from "@sealhouse/identity";
import type { ConsoleImagesParts } from "./console-images-parts.ts";
import type { ConsoleNpmParts } from "./console-npm.ts";
import { imageTrustApp } from "./console-image-trust.ts";
import type { ConsoleParts } from "./console-packages.ts";
import { protocolsOf, siteOf } from "./console-site.ts";
import { signInPages } from "./console-sign-in.ts";
import type { Parts } from "./parts.ts";
import { activeCertificates, trustPage } from "./console-trust.ts";

const LATEST = 10;
/** Read for one page: the caller may see only some of them. */
const LATEST_READ = 100;

type ConsoleAppParts = ConsoleParts &
  ConsoleNpmParts &
  ConsoleImagesParts &
  Partial<Pick<Parts, "unavailable">>;

/** The pages for people; loaded when the first person comes. */
export function openConsoleApp(parts: ConsoleAppParts): Hono {
  let loading: Promise<Hono> | undefined;
  const load = async (): Promise<Hono> => {
    const {
      createConsoleApp,
      createImagesApp,
      createNpmPackagesApp,
      createOlderAddressesApp,
      createPackagesApp,
      createReadmeRenderer,
      createSignInApp,
      createTrustApp,
      notFoundResponse,
      wantsPage,
    } = await import("@sealhouse/console");
    const { packagesPorts } = await import("./console-packages.ts");
    const app = createConsoleApp({ page: (request, env) => frontPage(parts, request, env) });
    const packages = packagesPorts(parts);
    const options = { renderReadme: createReadmeRenderer() };
    app.route("/", createPackagesApp(packages, options));
    if (parts.config.feed.npm.enabled) {
      const { npmPackagesPorts } = await import("./console-npm.ts");
      const npmPackages = npmPackagesPorts(parts, packages.site);
      app.route("/", createNpmPackagesApp(npmPackages, options));
    }
    if (parts.config.feed.oci.enabled) {
      const { imagesPorts } = await import("./console-images.ts");
      const { imageDeletion } = await import("./console-images-deletion.ts");
      const images = imagesPorts(parts, packages.site);
      app.route("/", createImagesApp({ ...images, ...imageDeletion(parts) }));
    }
    if (parts.sealKeys) app.route("/", imageTrustApp(parts.sealKeys));
    app.route("/", createTrustApp({ site: packages.site, trust: () => trustPage(parts) }));
    app.route("/", createSignInApp({ site: packages.site, waiting: signInPages(parts) }));
    app.route("/", createOlderAddressesApp({ site: packages.site }));
    app.onError((error) => {
      throw error;
    });
    app.notFound((c) => {
      const { pathname } = new URL(c.req.url);
      if (!wantsPage(c.req.raw)) return c.json({ error: `There is nothing at ${pathname}.` }, 404);
      return notFoundResponse(packages.site(c.req.raw, c.env), pathname);
    });
    return app;
  };
  const app = new Hono();
  app.all("*", async (c) => (await (loading ??= load())).fetch(c.req.raw, c.env));
  app.onError(async (error, c) => {
    const { unavailableResponse, wantsPage } = await import("@sealhouse/console");
    const away = wantsPage(c.req.raw) ? unavailableOf(c, error, parts.unavailable) : undefined;
    if (!away) throw error;
    return unavailableResponse(parts.config.host.serverName, away);
  });
  return app;
}

async function frontPage(
  parts: ConsoleParts,
  request: Request,
  env: unknown,
): Promise<FrontPageModel> {
  return {
    ...siteOf(parts, request, env),
    latest: await latestFor(parts, request, env),
    signing: await signingState(parts),
  };
}

/** The newest packages that the caller may read; undefined when it may read none. */
async function latestFor(
  { config, database, rules }: ConsoleParts,
  request: Request,
  env: unknown,
): Promise<FrontPageModel["latest"]> {
  const isReadable = async (protocol: Protocol, name?: string) => {
    const wanted = name === undefined ? {} : { name: protocol === "nuget" ? lowerId(name) : name };
    const authorize = createPackageAuthorize(rules, protocol);
    return (await authorize(request, env, { action: "read", ...wanted })).status === "granted";
  };
  const all = protocolsOf(config);
  const readable = new Set<Protocol>();
  for (const protocol of all) if (await isReadable(protocol)) readable.add(protocol);
  if (readable.size === 0) return undefined;
  const latest: LatestPackage[] = [];
  for (const one of await database.latestPackages(LATEST_READ)) {
    if (latest.length === LATEST) break;
    if (readable.has(one.protocol) && (await isReadable(one.protocol, one.name))) latest.push(one);
  }
  return latest;
}

async function signingState(parts: ConsoleParts): Promise<SigningState | undefined> {
  const certificates = await activeCertificates(parts);
  return certificates && { certificate: certificates[0] };
}
