import { createLoginCodes, mayUseScope } from "@sealhouse/identity";
import type { createPageForms, RegistrySources } from "@sealhouse/console";
import { unavailableOf } from "@sealhouse/http-responses";
import { connectionOf, isLocalPeer } from "@sealhouse/http-server";
import type { Protocol } from "@sealhouse/request-types";
import type { Hono } from "hono";
import { loadedApp } from "../../http/loaded-app.ts";
import { VERSION } from "../../version.ts";
import { ownCommand } from "../../command-name.ts";
import { sessionSources } from "../access/sign-in.ts";
import type { Added, PageParts } from "../feature.ts";
import { openAdministration } from "./administration.ts";
import { placesOf } from "./name-places.ts";
import { openNamePages } from "./names.ts";
import type { PagesCore } from "./pages-core.ts";
import { openOwnTokens, openPeoplePages } from "./people.ts";

/** Opens the web pages. Their code is loaded by the first request of a page. */
export function openConsoleApp(core: PagesCore, added: Pick<Added, "protocols" | "pages">): Hono {
  const app = loadedApp(async () => {
    const { createPageForms: makeForms, createRegistryPages } = await import("@sealhouse/console");
    return createRegistryPages(sourcesOf(core, added, makeForms));
  });
  app.onError(async (error, c) => {
    const { unavailableResponse, wantsPage } = await import("@sealhouse/console");
    const away = wantsPage(c.req.raw) ? unavailableOf(c, error, core.unavailable) : undefined;
    if (!away) throw error;
    return unavailableResponse(core.config.host.serverName, away);
  });
  return app;
}

function sourcesOf(
  core: PagesCore,
  { protocols, pages }: Pick<Added, "protocols" | "pages">,
  makeForms: typeof createPageForms,
): RegistrySources {
  const { config, resources, access, content } = core;
  const { database, blobs, signing } = resources;
  const site = siteOf(core, protocols);
  const rules = { ...access.rules, identifyPage: access.signIn.pageSessions.identify };
  const signIn = sessionSources(core, site, makeForms);
  const { forms } = signIn;
  const page: PageParts = { site, rules, forms };
  return {
    site,
    rules,
    anonymousRead: config.feed.anonymousPull,
    certificates: signing.isEnabled ? database.certificates : undefined,
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
    signsPackages: signing.isEnabled,
    withheldNuGet: content.mirrored.nuget.refused,
    nugetPlaces: placesOf(core, "nuget"),
    npmPages: undefined,
    imagePages: undefined,
    imageKeys: undefined,
    signsImages: false,
    ...pages(page),
    administration: { ...openAdministration(core), forms },
    names: { ...openNamePages(core), forms },
    people: { ...openPeoplePages(core), forms },
    signIn,
    ownTokens: openOwnTokens(core),
  };
}

function siteOf(
  { config, access }: PagesCore,
  protocols: readonly Protocol[],
): RegistrySources["site"] {
  const { rules, signIn } = access;
  const { anonymousPull: anonymousRead } = config.feed;
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
