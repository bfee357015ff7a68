import type { BoundedFetch } from "../bounded-fetch.ts";
import { unavailable } from "../failures.ts";
import { fieldsOf } from "../json-fields.ts";
import { PROVIDER_LABELS } from "../provider-config.ts";
import type { GitHubConfig } from "../provider-config.ts";

const label = PROVIDER_LABELS.github;

/** An answer of GitHub's API that says something about the person. */
export type ApiAnswer = {
  readonly status: 200 | 401 | 403 | 404;
  /** `X-GitHub-SSO` of an organization with SAML single sign-on. */
  readonly sso?: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

export type GitHubApi = {
  /** @throws SignInUnavailableError for every other answer, and when none comes */
  get(path: string, accessToken: string): Promise<ApiAnswer>;
  /** Ends an access token of this registry. */
  revoke(accessToken: string): Promise<void>;
};

export function createGitHubApi(config: GitHubConfig, fetch: BoundedFetch): GitHubApi {
  const headers = { accept: "application/vnd.github+json", "user-agent": "Sealhouse" };
  const send: BoundedFetch = (path, init) =>
    fetch(`${config.apiBaseUrl}${path}`, init).catch((error: unknown) => {
      throw unavailable(label, error);
    });
  return {
    async get(path, accessToken) {
      const authorization = `Bearer ${accessToken}`;
      return parseAnswer(await send(path, { headers: { ...headers, authorization } }));
    },
    async revoke(accessToken) {
      const login = Buffer.from(`${config.clientId}:${config.clientSecret}`).toString("base64");
      const { status } = await send(`/applications/${encodeURIComponent(config.clientId)}/token`, {
        method: "DELETE",
        headers: {
          ...headers,
          authorization: `Basic ${login}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ access_token: accessToken }),
      });
      // 404 and 422: the token has ended already.
      if (![204, 404, 422].includes(status)) throw wrongStatus(status);
    },
  };
}

async function parseAnswer(answer: Response): Promise<ApiAnswer> {
  const { status, headers } = answer;
  const isKnown = status === 200 || status === 401 || status === 403 || status === 404;
  if (!isKnown || isLimited(answer)) throw wrongStatus(status);
  const document: unknown = await answer.json().catch(() => undefined);
  if (status === 200 && !(document instanceof Object)) {
    throw unavailable(label, new Error("it answered without JSON"));
  }
  const sso = headers.get("x-github-sso");
  return {
    status,
    fields: fieldsOf(document),
    ...(sso !== null && { sso }),
  };
}

/** GitHub answers 403 also for too many requests. */
function isLimited({ status, headers }: Response): boolean {
  return (
    status === 403 && (headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0")
  );
}

function wrongStatus(status: number): Error {
  return unavailable(label, new Error(`it answered with status ${status}`));
}
