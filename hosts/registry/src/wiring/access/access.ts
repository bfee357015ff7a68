import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { imageIdTokens } from "@sealhouse/feed";
import { openOutgoingFetch } from "@sealhouse/http-server";
import type { RequestContexts } from "@sealhouse/http-server";
import {
  cookieNames,
  openAccessRules,
  openLeakReports,
  openMembershipChecks,
  openNameRules,
  openPepper,
  openPolicyExchange,
  openSignIn,
  openSignInProvider,
} from "@sealhouse/identity";
import type {
  AccessRules as IdentityRules,
  PageSignIn,
  PolicyExchange,
  RequestDecisions,
  Revalidation,
  SignInFailures,
} from "@sealhouse/identity";
import { answerLeakReport } from "../../http/leaked-tokens.ts";
import type { AnswerLeakReport } from "../../http/leaked-tokens.ts";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";
import { warnAboutAddresses } from "./sign-in-addresses.ts";

/** Everything that access depends on, with the host's request contexts. */
export type AccessRules = Omit<IdentityRules, "contexts"> & Pick<AccessParts, "contexts">;

/** Who may do what, in all protocols and on the pages. Disposal writes last uses of tokens. */
export type Access = AsyncDisposable & {
  /** Key of the token hashes. */
  readonly pepper: string;
  readonly rules: AccessRules;
  /** Failed sign-ins at all instances; undefined where one process counts them all. */
  readonly failures: SignInFailures | undefined;
  /** Exchanges ID tokens of build jobs. */
  readonly exchange: PolicyExchange;
  readonly answerLeakReport: AnswerLeakReport;
  readonly revalidation: Revalidation;
  readonly signIn: PageSignIn;
};

type AccessParts = {
  readonly config: Config;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly contexts: RequestContexts<RequestDecisions>;
  readonly log: Log;
  readonly now: () => Date;
};

/** The parts of the access that the rules depend on. */
type Opened = Pick<Access, "pepper" | "failures" | "exchange" | "revalidation">;

/** Opens the access rules, the sign-in, and the checks of memberships. */
export async function openAccess(parts: AccessParts): Promise<Access> {
  const { config, resources, contexts, log, now } = parts;
  const { database, keyRing } = resources;
  await using opened = new AsyncDisposableStack();
  const pepper = await openPepper(config.host.pepper);
  const fetch = openOutgoingFetch(config.host);
  const provider = openSignInProvider(config.signIn, { ...database, fetch, now });
  const revalidation = opened.use(
    await openMembershipChecks({
      provider,
      people: database.people,
      checks: database.membershipChecks,
      keyRing,
      revalidateMs: config.signIn?.revalidateMs,
      now,
      log,
    }),
  );
  const { policies } = database;
  const { trustedPublishing: trust } = config.feed;
  const exchange = openPolicyExchange({ trust, policies, fetch, pepper, log, now });
  const failures = config.database.type === "Sqlite" ? undefined : database.signInFailures;
  const rules = openRules(parts, { pepper, failures, exchange, revalidation });
  const { authenticator } = rules;
  opened.use(authenticator);
  const { publicKeysUrl: url } = config.host.leakedTokens;
  const handle = openLeakReports({ ...database, authenticator, pepper, url, fetch, log, now });
  warnAboutAddresses(config, log);
  const signIn = openSignIn({
    database,
    rules,
    cookies: cookieNames(config.development ? config.host.addresses[0]?.port : undefined),
    provider,
    keyRing,
    requiresApproval: config.host.access.requireNewUserApproval,
    offersFirst: config.development && !config.signIn,
    log,
    now,
  });
  const owned = opened.move();
  return {
    pepper,
    rules,
    failures,
    exchange,
    answerLeakReport: answerLeakReport({ handle, contexts }),
    revalidation,
    signIn,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function openRules(
  { config, resources: { database }, contexts, log, now }: AccessParts,
  { pepper, failures, exchange, revalidation }: Opened,
): AccessRules {
  const { events, ownership, tokens } = database;
  const { access, keyRing } = config.host;
  return openAccessRules({
    database,
    contexts,
    pepper,
    issuer: keyRing.applicationName,
    service: config.feed.name,
    lifetimeSeconds: Math.floor(config.feed.oci.tokenLifetimeMs / 1_000),
    ...(failures && { failures }),
    onError: (error) => log.warn({ err: error }, "could not write last uses of tokens; will retry"),
    onUserSeen: revalidation.noteUse,
    idTokens: imageIdTokens(exchange, tokens),
    names: openNameRules({ access, ownerships: ownership.ownerships, events, log, now }),
    mfaPatterns: config.signIn?.mfaPatterns,
    anonymousPull: config.feed.anonymousPull,
    now,
  });
}
