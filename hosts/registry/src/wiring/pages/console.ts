import { createLoginCodes } from "@sealhouse/identity";
import type * as Console from "@sealhouse/console";
import type { RegistrySources } from "@sealhouse/console";
import { unavailableOf } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import { loadedApp } from "../../http/loaded-app.ts";
import { VERSION } from "../../version.ts";
import { ownCommand } from "../../command-name.ts";
import type { Added, PageParts } from "../feature.ts";
import { openAdministration } from "./administration.ts";
import { placesOf } from "./name-places.ts";
import { openNamePages } from "./names.ts";
import type { PagesCore } from "./pages-core.ts";
import { openOwnTokens, openPeoplePages } from "./people.ts";

/** Opens the web pages. Their code is loaded by the first request of a page. */
export function openConsoleApp(core: PagesCore, added: Pick<Added, "protocols" | "pages">): Hono {
  const app = loadedApp(async () => {
    const console = await import("@sealhouse/console");
    return console.createRegistryPages(sourcesOf(core, added, console));
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
  { sessionSources, siteOf }: Pick<typeof Console, "sessionSources" | "siteOf">,
): RegistrySources {
  const { config, resources, access, content } = core;
  const { database, blobs, signing } = resources;
  const { serverName } = config.host;
  const { anonymousPull: anonymousRead, publicBaseUrls } = config.feed;
  const { development } = config;
  const shown = { ...access, serverName, anonymousRead, protocols, development, version: VERSION };
  const site = siteOf({ ...shown, ownCommand: () => ownCommand(process, config) });
  const rules = { ...access.rules, identifyPage: access.signIn.pageSessions.identify };
  const signIn = sessionSources({ ...access, database, site, publicBaseUrls, serverName });
  const { forms } = signIn;
  const page: PageParts = { site, rules, forms };
  return {
    site,
    rules,
    anonymousRead,
    certificates: signing.isEnabled ? database.certificates : undefined,
    latestPackages: (limit, hidden) => database.latestPackages(limit, hidden),
    loginSessions: database.loginSessions,
    loginCodes: createLoginCodes({
      loginSessions: database.loginSessions,
      ...(access.failures && { failures: access.failures }),
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
    actions: core.actions && { actions: core.actions, forms },
    names: { ...openNamePages(core), forms },
    people: { ...openPeoplePages(core), forms },
    signIn,
    ownTokens: openOwnTokens(core),
  };
}
