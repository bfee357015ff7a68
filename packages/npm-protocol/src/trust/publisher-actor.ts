import type { TrustedPublisher, TrustProvider } from "./ports.ts";

/** As the public registry names who published. */
const LABELS: Readonly<Record<TrustProvider, string>> = {
  github: "GitHub Actions",
  gitlab: "GitLab CI/CD",
  circleci: "CircleCI",
};
const SUBJECT_MAX = 160;
const ACTOR = /^(GitHub Actions|GitLab CI\/CD|CircleCI) [^]* \((oidc:[0-9a-f-]{36})\)$/;

/** What somebody without a name is called in events: `GitHub Actions acme/demo (oidc:<id>)`. The
 * same for the same publisher at all times, and for no other. */
export function actorOf(publisher: Pick<TrustedPublisher, "id" | "provider" | "claims">): string {
  const { id, provider, claims } = publisher;
  const subject =
    claims["repository"] ?? claims["project_path"] ?? claims["oidc.circleci.com/vcs-origin"];
  const shown = typeof subject === "string" ? subject.slice(0, SUBJECT_MAX) : "";
  return `${LABELS[provider]} ${shown} (oidc:${id})`;
}

/** `_npmUser` of a version. */
export type Publisher = {
  readonly name: string;
  readonly email: string;
  readonly trustedPublisher?: { readonly id: TrustProvider; readonly oidcConfigId: string };
};

/** Whom a version names as its publisher, as the public registry does; clients look there for who
 * published without a secret. */
export function publisherOf(actor: string): Publisher {
  const [, label, oidcConfigId] = ACTOR.exec(actor) ?? [];
  const id = PROVIDERS.get(label ?? "");
  if (label === undefined || oidcConfigId === undefined || id === undefined) {
    return { name: actor, email: "" };
  }
  return { name: label, email: "", trustedPublisher: { id, oidcConfigId } };
}

const PROVIDERS: ReadonlyMap<string, TrustProvider> = new Map([
  [LABELS.github, "github"],
  [LABELS.gitlab, "gitlab"],
  [LABELS.circleci, "circleci"],
]);
