import { randomBytes } from "node:crypto";
import { connectionOf, isLocalPeer, isLoopbackHost } from "@sealhouse/http-server";
import type { RequestContexts } from "@sealhouse/http-server";
import type { PageSignIn, RequestDecisions } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { createPageForms } from "../kit/forms/page-forms.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Event of a confirmation that was refused. */
type Unconfirmed = {
  readonly type: "user.refused";
  readonly subject: string;
  readonly caller: Caller;
  readonly detail: { readonly code: string; readonly reason: string };
};

/** Dependencies and settings of `sessionSources`. */
export type SessionSourceParts = Pick<SessionPorts, "site"> & {
  readonly rules: Omit<SessionPorts["rules"], "contexts"> & {
    readonly contexts: RequestContexts<RequestDecisions>;
  };
  readonly signIn: PageSignIn;
  /** Key of the codes of callers without a session. */
  readonly pepper: string;
  /** Configured addresses of the registry; empty = each request names its own. */
  readonly publicBaseUrls: readonly string[];
  /** The name that authenticators show. */
  readonly serverName: string;
  readonly database: {
    readonly passkeys: SessionPorts["passkeys"]["passkeys"] & {
      readonly challenges: SessionPorts["passkeys"]["challenges"];
    };
    readonly events: { record(events: readonly Unconfirmed[]): Promise<void> };
  };
};

/** Composes the data sources of the pages that sign in. */
export function sessionSources(parts: SessionSourceParts): SessionPorts {
  const { site, rules, signIn, pepper, publicBaseUrls, serverName, database } = parts;
  const sessionOf: SessionPorts["sessionOf"] = ({ request, env }) =>
    signIn.pageSessions.of(rules.contexts.of(request, env));
  const origins = publicBaseUrls.map((url) => new URL(url).origin);
  return {
    ...signIn,
    site,
    rules,
    sessionOf,
    random: (size) => randomBytes(size),
    forms: createPageForms({ pepper, now: rules.now, sessionOf, origins }),
    callbackOf({ request, env }, provider) {
      const { base } = rules.contexts.of(request, env).publicAddress;
      const isKnown = publicBaseUrls.length > 0 || isLoopbackHost(new URL(base).hostname);
      return isKnown ? `${base}/signin-${provider}` : undefined;
    },
    passkeys: {
      passkeys: database.passkeys,
      challenges: database.passkeys.challenges,
      serverName,
    },
    onUnconfirmed({ by, code, reason }) {
      const subject = by.tokenId === undefined ? `user/${by.actor}` : `token/${by.tokenId}`;
      const detail = { code, reason };
      return database.events.record([{ type: "user.refused", subject, caller: by, detail }]);
    },
    isLocalPeer: ({ request, env }) => isLocalPeer(connectionOf(request, env)),
  };
}
