import {
  formatCookie,
  formatDeletion,
  parseReturnPath,
  stateHashOf,
  waitingCookie,
} from "@sealhouse/identity";
import type { BrowserSession, CookieNames, FinishedSignIn, SignInFlow } from "@sealhouse/identity";
import type { Hono } from "hono";
import { shownPage } from "../kit/page/shown-page.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import { NEEDS_HTTPS, needsHttps, SIGN_IN } from "../kit/page/visitor.ts";
import { CONFIRM } from "./confirmation.ts";
import { failedPage, sessionPage, unconfirmedPage } from "../kit/page/session-page.ts";
import { cookiesOf, originOf, seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Sign-ins of one browser that may wait for the provider. */
const WAITING_MAX = 5;

/** Adds the link to the identity provider, and the callback that the browser comes back to. */
export function addProviderRoutes(app: Hono, ports: SessionPorts, flow: SignInFlow): void {
  const { name } = flow.provider;
  app.get(`${SIGN_IN}/with/${name}`, (c) =>
    shownPage(ports, c, (shown) =>
      start(ports, shown, { flow, returnPath: parseReturnPath(c.req.query("returnUrl")) }),
    ),
  );
  app.get(`${CONFIRM}/:id/with/${name}`, (c) =>
    shownPage(ports, c, (shown) => {
      const session = ports.sessionOf(shown.from);
      if (!session?.user || !flow.provider.canAskAgain) {
        return seeOther(`${shown.address.root}/account`);
      }
      const returnPath = parseReturnPath(`${CONFIRM}/${c.req.param("id")}`);
      return start(ports, shown, { flow, returnPath, session });
    }),
  );
  app.get(`/signin-${name}`, (c) => shownPage(ports, c, (shown) => finish(ports, shown, flow)));
}

type ProviderVisit = {
  readonly flow: SignInFlow;
  readonly returnPath: string;
  /** The session to confirm; undefined for a sign-in. */
  readonly session?: BrowserSession;
};

async function start(
  ports: SessionPorts,
  shown: Shown,
  { flow, returnPath, session }: ProviderVisit,
): Promise<Response> {
  if (needsHttps(shown.address)) {
    return sessionPage(shown, { title: "https required", lead: NEEDS_HTTPS, status: 400 });
  }
  const redirectUri = ports.callbackOf(shown.from, flow.provider.name);
  if (redirectUri === undefined) {
    const lead =
      "This registry does not know its public address, so the provider cannot send you back. " +
      "Ask its operator to set Feed__PublicBaseUrl.";
    return failedPage(shown, lead, 503);
  }
  const { address } = originOf(ports, shown.from);
  const started = await asked(ports, () =>
    flow.start({ redirectUri, returnPath, address, session }),
  );
  if (started === "unavailable") return unavailable(shown, flow);
  if (started.status === "crowded") return crowded(shown);
  const { page, stateHash, sealed } = started;
  const seconds = Math.floor(ports.rules.now().getTime() / 1_000);
  const cookie = waitingCookie(ports.cookies, stateHash);
  return seeOther(page.href, [
    ...surplusOf(ports.cookies, shown.from).map(formatDeletion),
    formatCookie(cookie, `${seconds}.${sealed}`),
  ]);
}

/** Returns the oldest cookies of waiting sign-ins, so that one more keeps the limit. */
function surplusOf({ waiting }: CookieNames, from: From): readonly string[] {
  const names = [...cookiesOf(from)]
    .filter(([name]) => name.startsWith(waiting))
    .toSorted(([, one], [, other]) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
    .map(([name]) => name);
  return names.slice(0, Math.max(names.length - WAITING_MAX + 1, 0));
}

async function finish(ports: SessionPorts, shown: Shown, flow: SignInFlow): Promise<Response> {
  const { from } = shown;
  const { search, searchParams } = new URL(from.request.url);
  const state = searchParams.get("state") ?? undefined;
  const redirectUri = ports.callbackOf(from, flow.provider.name);
  const cookie = state && waitingCookie(ports.cookies, stateHashOf(state));
  const value = cookie ? cookiesOf(from).get(cookie) : undefined;
  const finished =
    redirectUri === undefined || value === undefined
      ? ({ status: "unknown" } as const)
      : await asked(ports, () =>
          flow.finish({
            ...originOf(ports, from),
            state,
            search,
            redirectUri,
            session: ports.sessionOf(from),
            sealed: value.slice(value.indexOf(".") + 1),
          }),
        );
  if (finished === "unavailable") return unavailable(shown, flow);
  const response = await finishedPage(ports, shown, finished);
  // The browser has no use for it any longer.
  if (cookie && finished.status !== "crowded") {
    response.headers.append("set-cookie", formatDeletion(cookie));
  }
  return response;
}

async function finishedPage(
  ports: SessionPorts,
  shown: Shown,
  finished: FinishedSignIn,
): Promise<Response> {
  const { from, address } = shown;
  switch (finished.status) {
    case "signed-in":
      return seeOther(address.root + finished.returnPath, [
        formatCookie(ports.cookies.session, finished.secret),
      ]);
    case "confirmed": {
      const session = ports.sessionOf(from);
      const id = finished.returnPath.slice(CONFIRM.length + 1);
      if (session) await ports.confirmations.confirm(session, id);
      return seeOther(address.root + finished.returnPath);
    }
    case "refused":
      return finished.backTo === undefined
        ? failedPage(shown, finished.reason, 403)
        : unconfirmedPage(shown, finished.reason, finished.backTo);
    case "unknown":
      // The back button and a second click come here, too.
      if (ports.sessionOf(from)) return seeOther(`${address.root}/`);
      return failedPage(
        shown,
        "This sign-in was used, is older than ten minutes, or began in another browser.",
      );
    case "crowded":
      return crowded(shown);
  }
}

async function asked<T>({ onError }: SessionPorts, ask: () => Promise<T>) {
  try {
    return await ask();
  } catch (error) {
    onError(error);
    return "unavailable" as const;
  }
}

function crowded(shown: Shown): Promise<Response> {
  const lead = "Too many sign-ins from your network were refused. Try again in a minute.";
  return failedPage(shown, lead, 503);
}

function unavailable(shown: Shown, { provider }: SignInFlow): Promise<Response> {
  const lead = `${provider.label} did not answer as expected. Try again in a moment.`;
  return failedPage(shown, lead, 503);
}
