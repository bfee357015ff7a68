import { connectionOf, isLocalPeer } from "@sealhouse/http-server";
import { mayUseScope } from "@sealhouse/identity";
import type { Site } from "../kit/page/model.ts";
import { themeIn } from "../kit/page/theme.ts";
import type { SessionSourceParts } from "./session-sources.ts";

/** Dependencies and settings of `siteOf`. */
export type SiteParts = Pick<Site, "version" | "anonymousRead" | "protocols"> &
  Pick<SessionSourceParts, "rules" | "signIn" | "serverName"> & {
    readonly development: boolean;
    /** The command for people on the machine of a registry in Development. It contains the process
     * id of the host. */
    readonly ownCommand: () => string;
  };

/** Returns what every page shows about the registry, and about the person who views it. */
export function siteOf(parts: SiteParts): (request: Request, env: unknown) => Site {
  const { rules, signIn, serverName, version, anonymousRead, protocols, development } = parts;
  return (request, env) => {
    const context = rules.contexts.of(request, env);
    const session = signIn.pageSessions.of(context);
    const name = session && (session.user?.displayName ?? session.principal.name);
    const path = pathToReturnTo(request);
    const isOnHost = development && isLocalPeer(connectionOf(request, env));
    return {
      name: serverName,
      version,
      address: context.publicAddress.base,
      now: rules.now(),
      anonymousRead,
      command: isOnHost ? parts.ownCommand() : "sealhouse",
      isOnHost,
      theme: themeIn(request),
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
