import type { FrontPageModel, SigningState } from "@sealhouse/console";
import { unavailableOf } from "@sealhouse/http-responses";
import { Hono } from "hono";
import { VERSION } from "../version.ts";
import type { ConsoleImagesParts } from "./console-images.ts";
import type { ConsoleNpmParts } from "./console-npm.ts";
import { imageTrustApp } from "./console-image-trust.ts";
import type { ConsoleParts } from "./console-packages.ts";
import { protocolsOf } from "./console-protocols.ts";
import { signInPages } from "./console-sign-in.ts";
import type { Parts } from "./parts.ts";
import { activeCertificates, trustPage } from "./console-trust.ts";

const LATEST = 10;

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
    app.onError((error) => {
      throw error;
    });
    app.notFound((c) => {
      const { pathname } = new URL(c.req.url);
      if (!wantsPage(c.req.raw)) return c.json({ error: `There is nothing at ${pathname}.` }, 404);
      const { base } = parts.rules.contexts.of(c.req.raw, c.env).publicAddress;
      return notFoundResponse({ name: parts.config.host.serverName, home: `${base}/` }, pathname);
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
  const { config, database, rules } = parts;
  const { feed, host } = config;
  return {
    name: host.serverName,
    version: VERSION,
    address: rules.contexts.of(request, env).publicAddress.base,
    now: rules.now(),
    protocols: protocolsOf(config),
    anonymousRead: feed.anonymousPull,
    // Names are shown to everybody only where everybody may read them.
    latest: feed.anonymousPull ? await database.latestPackages(LATEST) : [],
    signing: await signingState(parts),
  };
}

async function signingState(parts: ConsoleParts): Promise<SigningState | undefined> {
  const certificates = await activeCertificates(parts);
  return certificates && { certificate: certificates[0] };
}
