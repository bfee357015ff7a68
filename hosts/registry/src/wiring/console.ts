import { createLoginCodes, mayUseScope } from "@sealhouse/identity";
import type { createPageForms, NamePlaces, RegistrySources } from "@sealhouse/console";
import type { Database } from "@sealhouse/database";
import { unavailableOf } from "@sealhouse/http-responses";
import { connectionOf } from "@sealhouse/http-server";
import type { DescribeUnavailable } from "@sealhouse/http-responses";
import type { VerifyBundle } from "@sealhouse/npm-protocol";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import type { Hono } from "hono";
import { loadedApp } from "../http/loaded-app.ts";
import type { Config } from "../settings/config.ts";
import { VERSION } from "../version.ts";
import type { AccessRules } from "./access.ts";
import { ownCommand } from "../command-name.ts";
import { openAdministration } from "./console-administration.ts";
import type { AdministrationParts } from "./console-administration.ts";
import { openNamePages } from "./console-names.ts";
import { openOwnTokens, openPeoplePages } from "./console-people.ts";
import type { Mirrored } from "./mirrored.ts";
import type { RegistryResources } from "./registry-resources.ts";
import { isLocalPeer, sessionSources } from "./sign-in.ts";
import type { HostSignIn } from "./sign-in.ts";
import { imageFiles } from "@sealhouse/feed";
import { publicPagesOf } from "@sealhouse/upstream-sources";
import type { Mirror } from "@sealhouse/upstream-sources";

type ConsoleParts = {
  readonly config: Config;
  readonly database: Database;
  readonly blobs: RegistryResources["blobs"];
  readonly rules: AccessRules;
  readonly pepper: string;
  readonly verifyBundle: VerifyBundle;
  readonly sealKeys?: SealKeys | undefined;
  readonly unavailable?: DescribeUnavailable;
  readonly keyRing: AdministrationParts["keyRing"];
  readonly signIn: HostSignIn;
  readonly mirror: AdministrationParts["mirror"] & Pick<Mirror, "enabled">;
  readonly mirrored: AdministrationParts["mirrored"] & {
    readonly npm: Pick<Mirrored["npm"], "refused">;
    readonly nuget: Pick<Mirrored["nuget"], "refused">;
    readonly images: Pick<Mirrored["images"], "withheld">;
  };
};

/** Opens the web pages. Their code is loaded by the first request of a page. */
export function openConsoleApp(parts: ConsoleParts): Hono {
  const app = loadedApp(async () => {
    const { createPageForms: makeForms, createRegistryPages } = await import("@sealhouse/console");
    return createRegistryPages(sourcesOf(parts, makeForms));
  });
  app.onError(async (error, c) => {
    const { unavailableResponse, wantsPage } = await import("@sealhouse/console");
    const away = wantsPage(c.req.raw) ? unavailableOf(c, error, parts.unavailable) : undefined;
    if (!away) throw error;
    return unavailableResponse(parts.config.host.serverName, away);
  });
  return app;
}

const sealing = () => import("@sealhouse/oci-distribution/seal");

function sourcesOf(parts: ConsoleParts, makeForms: typeof createPageForms): RegistrySources {
  const { config, database, blobs, verifyBundle, sealKeys, mirrored } = parts;
  const { npm, oci, anonymousPull: anonymousRead } = config.feed;
  const signsPackages = config.signing.mode !== "off";
  const site = siteOf(parts);
  const rules = { ...parts.rules, identifyPage: parts.signIn.pageSessions.identify };
  const signIn = sessionSources(parts, site, makeForms);
  const { forms } = signIn;
  const all = { site, rules };
  return {
    ...all,
    anonymousRead,
    certificates: signsPackages ? database.certificates : undefined,
    latestPackages: (limit, hidden) => database.latestPackages(limit, hidden),
    loginSessions: database.loginSessions,
    loginCodes: createLoginCodes({
      loginSessions: database.loginSessions,
      // One process has the whole count in memory.
      ...(config.database.type !== "Sqlite" && { failures: database.signInFailures }),
      now: rules.now,
    }),
    nuget: database.nuget,
    packageFiles: blobs.nuget,
    signsPackages,
    signsImages: config.ociSeal !== undefined && oci.enabled,
    withheldNuGet: mirrored.nuget.refused,
    nugetPlaces: placesOf(parts, "nuget"),
    npmPages: npm.enabled
      ? {
          ...all,
          npm: database.npm,
          verifyBundle,
          withheld: mirrored.npm.refused,
          places: placesOf(parts, "npm"),
        }
      : undefined,
    imagePages: oci.enabled
      ? {
          ...all,
          oci: database.oci,
          imageFiles: imageFiles(blobs.oci),
          served: oci,
          forms,
          sealKeys,
          withheld: mirrored.images.withheld,
          ownersOf: (name) => database.ownership.publishers({ protocol: "oci", name }),
        }
      : undefined,
    administration: { ...openAdministration(parts), forms },
    names: { ...openNamePages(parts), forms },
    people: { ...openPeoplePages(parts), forms },
    signIn,
    ownTokens: openOwnTokens(parts),
    imageKeys: sealKeys && {
      cosignPublicKey: async () => (await sealing()).cosignPublicKey(sealKeys),
      notationRoot: async () => (await sealing()).notationRoot(sealKeys),
    },
  };
}

function placesOf({ database, mirror }: ConsoleParts, protocol: "nuget" | "npm"): NamePlaces {
  return {
    present: (names) => database.presentNames(protocol, names),
    sourcePages: async (names) => publicPagesOf(await mirror.enabled(protocol), protocol, names),
  };
}

function siteOf({
  config,
  rules,
  signIn,
}: Pick<ConsoleParts, "config" | "rules" | "signIn">): RegistrySources["site"] {
  const { npm, oci, anonymousPull: anonymousRead } = config.feed;
  const protocols = [
    "nuget" as const,
    ...(npm.enabled ? (["npm"] as const) : []),
    ...(oci.enabled ? (["oci"] as const) : []),
  ];
  return (request, env) => {
    const context = rules.contexts.of(request, env);
    const session = signIn.pageSessions.of(context);
    const name = session && (session.user?.displayName ?? session.principal.name);
    const path = pathToReturnTo(request);
    const isOnHost = config.development && isLocalPeer(connectionOf(request, env));
    return {
      name: config.host.serverName,
      version: VERSION,
      address: context.publicAddress.base,
      now: rules.now(),
      anonymousRead,
      // The command of the host contains its process id: only for people on its machine.
      command: isOnHost ? ownCommand(process, config) : "sealhouse",
      isOnHost,
      protocols,
      hasAdministration: session
        ? mayUseScope(session.principal, "admin")
        : request.headers.has("authorization"),
      visitor: { path, ...(name !== undefined && { name }) },
    };
  };
}

/** The address of a form shows no page after the sign-in. */
function pathToReturnTo({ method, url }: Request): string {
  if (method !== "GET" && method !== "HEAD") return "/";
  const { pathname, search } = new URL(url);
  return pathname + search;
}
