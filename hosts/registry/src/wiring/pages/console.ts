import { randomUUID } from "node:crypto";
import { createLoginCodes } from "@sealhouse/identity";
import type * as Console from "@sealhouse/console";
import type { RegistrySources } from "@sealhouse/console";
import type { Hono } from "hono";
import { loadedApp } from "../../http/loaded-app.ts";
import { VERSION } from "../../version.ts";
import { ownCommand } from "../../command-name.ts";
import type { Added, PageParts } from "../feature.ts";
import { openAdministration } from "./administration.ts";
import { placesOf } from "./name-places.ts";
import type { PagesCore } from "./pages-core.ts";
import { openOwnTokens, openPeoplePages } from "./people.ts";

/** Opens the web pages. Their code is loaded by the first request of a page. */
export function openConsoleApp(core: PagesCore, added: Pick<Added, "protocols" | "pages">): Hono {
  return loadedApp(async () => {
    const console = await import("@sealhouse/console");
    return console.createRegistryPages(sourcesOf(core, added, console));
  });
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
    describeUnavailable: core.unavailable,
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
    overview: core.overview && { ...core.overview, forms },
    names: { ...openNamePages(core), forms },
    people: { ...openPeoplePages(core), forms },
    signIn,
    ownTokens: openOwnTokens(core),
  };
}

/** Opens the changes of the pages of names, which are those of the commands. */
function openNamePages({
  config,
  resources,
}: PagesCore): Omit<NonNullable<RegistrySources["names"]>, "forms" | "sessionOf"> {
  const { ownership, visibilities, policies, teams } = resources.database;
  const { ownerships, transfers } = ownership;
  return {
    ownerships,
    transfers,
    visibilities,
    policies,
    teams,
    trust: config.feed.trustedPublishing,
    newId: randomUUID,
  };
}
