import { unavailableOf } from "@sealhouse/http-responses";
import type { DescribeUnavailable } from "@sealhouse/http-responses";
import type { OwnTokens } from "@sealhouse/identity";
import { Hono } from "hono";
import { createActionApp } from "./actions/action-app.ts";
import { addScreens } from "./add-screens.ts";
import type { ActionSources } from "./actions/action-sources.ts";
import { createAdministrationApp } from "./administration/administration-app.ts";
import type { AdministrationSources } from "./administration/model.ts";
import { createConsoleApp } from "./front/console-app.ts";
import { frontPage } from "./front/front-views.ts";
import type { FrontSources } from "./front/front-views.ts";
import { imageDeletion } from "./images/image-deletion.ts";
import type { ImageLookups } from "./images/image-lookups.ts";
import { imagesPorts } from "./images/image-views.ts";
import { createImagesApp } from "./images/images-app.ts";
import { createAssetsApp } from "./kit/assets/assets-app.ts";
import { finishPages } from "./kit/page/finish-pages.ts";
import { createThemeApp } from "./kit/page/theme-app.ts";
import { nothingAt, wantsPage } from "./kit/refusals/not-found-page.ts";
import { unavailableResponse, unavailableText } from "./kit/refusals/unavailable-page.ts";
import type { NpmLookups } from "./npm/npm-lookups.ts";
import { npmPackagesPorts } from "./npm/npm-views.ts";
import { createManagesName } from "./names/name-manager.ts";
import type { NameSources } from "./names/name-sources.ts";
import { createNamesApp } from "./names/names-app.ts";
import { createNpmPackagesApp } from "./npm/npm-packages-app.ts";
import { createOverviewApp } from "./overview/overview-app.ts";
import type { OverviewSources } from "./overview/overview-sources.ts";
import { packagesPorts } from "./nuget/package-views.ts";
import type { NuGetLookups } from "./nuget/nuget-lookups.ts";
import { createPackagesApp } from "./nuget/packages-app.ts";
import { createOlderAddressesApp } from "./older-addresses.ts";
import { createPeopleApp } from "./people/people-app.ts";
import type { PeopleSources } from "./people/people-sources.ts";
import { createReadmeRenderer } from "./readme/readme-renderer.ts";
import { askConfirmation } from "./sign-in/confirmation.ts";
import type { AskConfirmation } from "./kit/forms/confirmed-forms.ts";
import { createSessionApp } from "./sign-in/session-app.ts";
import { useSessions } from "./sign-in/use-sessions.ts";
import type { SessionPorts } from "./sign-in/session-ports.ts";
import { createSignInApp } from "./sign-in/sign-in-app.ts";
import { loginDecisions, signInPages } from "./sign-in/waiting-sign-ins.ts";
import type { SignInSources } from "./sign-in/waiting-sign-ins.ts";
import { createTokensApp } from "./tokens/tokens-app.ts";
import { createImageKeysApp, createTrustApp } from "./trust/trust-app.ts";
import type { ImageKeys } from "./trust/trust-app.ts";
import { trustPage } from "./trust/trust-views.ts";
import type { TrustSources } from "./trust/trust-views.ts";

/** Lookups of all pages. Protocols without lookups have no pages. */
export type RegistrySources = FrontSources &
  TrustSources &
  NuGetLookups &
  SignInSources & {
    readonly npmPages: NpmLookups | undefined;
    readonly imagePages: ImageLookups | undefined;
    /** Errors that mean that the registry cannot answer now; browsers get a page. */
    readonly describeUnavailable?: DescribeUnavailable | undefined;
    /** Undefined when image signing is disabled. */
    readonly imageKeys: ImageKeys | undefined;
    /** Undefined = no pages of administrators. */
    readonly administration?: Omit<AdministrationSources, "site" | "rules" | "confirm"> | undefined;
    /** Undefined = no page of the actions of administrators. */
    readonly actions?: Omit<ActionSources, "site" | "rules" | "confirm"> | undefined;
    /** Undefined = no overview and no audit log. */
    readonly overview?: Omit<OverviewSources, "site" | "rules" | "confirm"> | undefined;
    /** Undefined = no page manages names. */
    readonly names?: Omit<NameSources, "site" | "rules" | "confirm"> | undefined;
    /** Undefined = no pages of users, teams and service accounts. */
    readonly people?: Omit<PeopleSources, "site" | "rules" | "confirm"> | undefined;
    /** Undefined = no page signs in. */
    readonly signIn?: SessionPorts | undefined;
    /** Undefined = no page manages own tokens. */
    readonly ownTokens?: OwnTokens | undefined;
  };

/** Creates the app with all pages of a registry. Other errors propagate to the caller. */
export function createRegistryPages(sources: RegistrySources): Hono {
  const { site, rules, npmPages, imagePages, imageKeys } = sources;
  const { names, signIn } = sources;
  const managed = { managesName: names && createManagesName(rules) };
  const confirm: AskConfirmation = signIn ? askConfirmation(signIn) : async () => undefined;
  const app = new Hono();
  app.route("/", createAssetsApp());
  finishPages(app);
  if (signIn) useSessions(app, signIn);
  app.route("/", createConsoleApp({ page: (request, env) => frontPage(sources, request, env) }));
  const options = { renderReadme: createReadmeRenderer() };
  app.route("/", createPackagesApp(packagesPorts({ ...sources, ...managed }), options));
  if (npmPages) {
    const ports = npmPackagesPorts({ ...npmPages, ...managed });
    app.route("/", createNpmPackagesApp(ports, options));
  }
  if (imagePages) {
    const ports = imagesPorts({ ...imagePages, ...managed });
    app.route("/", createImagesApp({ ...ports, ...imageDeletion(imagePages), confirm }));
  }
  if (names) app.route("/", createNamesApp({ ...names, site, rules, confirm }));
  if (imageKeys) app.route("/", createImageKeysApp(imageKeys));
  addAdministration(app, sources, confirm);
  app.route("/", createTrustApp({ site, trust: () => trustPage(sources) }));
  if (signIn)
    app.route(
      "/",
      createSessionApp(signIn, (request, env) => app.fetch(request, env)),
    );
  const { ownTokens } = sources;
  if (signIn && ownTokens) app.route("/", createTokensApp({ ...signIn, ownTokens, confirm }));
  const decisions = signIn && loginDecisions(sources, signIn, confirm);
  app.route("/", createSignInApp({ site, waiting: signInPages(sources), decisions }));
  app.route("/", createThemeApp({ site }));
  app.route("/", createOlderAddressesApp({ site }));
  // Last, because they answer all paths of the administration.
  if (sources.actions) addScreens(app, { ...sources.actions, site, rules, confirm });
  answerOthers(app, sources);
  return app;
}

/** Answers outages, and requests for unknown pages. */
function answerOthers(
  app: Hono,
  { site, describeUnavailable }: Pick<RegistrySources, "site" | "describeUnavailable">,
): void {
  app.onError((error, c) => {
    const away = unavailableOf(c, error, describeUnavailable);
    if (!away) throw error;
    if (!wantsPage(c.req.raw)) return unavailableText(away);
    return unavailableResponse(site(c.req.raw, c.env), away);
  });
  app.notFound((c) => nothingAt(c, site(c.req.raw, c.env)));
}

/** Adds the pages of administrators. */
function addAdministration(app: Hono, sources: RegistrySources, confirm: AskConfirmation): void {
  const { site, rules, overview, administration, actions, people } = sources;
  const shared = { site, rules, confirm };
  if (overview) app.route("/", createOverviewApp({ ...overview, ...shared }));
  if (administration) app.route("/", createAdministrationApp({ ...administration, ...shared }));
  if (actions) app.route("/", createActionApp({ ...actions, ...shared }));
  if (people) app.route("/", createPeopleApp({ ...people, ...shared }));
}
