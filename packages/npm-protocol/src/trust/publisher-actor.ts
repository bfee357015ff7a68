import type { TrustedPublisher, TrustProvider } from "./ports.ts";

/** As the public registry names who published. */
const LABELS: Readonly<Record<TrustProvider, string>> = {
  github: "GitHub Actions",
  gitlab: "GitLab CI/CD",
  circleci: "CircleCI",
};
const SUBJECT_MAX = 160;
const ACTOR = /^(GitHub Actions|GitLab CI\/CD|CircleCI) [^]* \((oidc:[0-9a-f-]{36})\)$/;

/**
 * Name of a publisher without an account in events: `GitHub Actions acme/demo (oidc:<id>)`.
 * Constant and unique for each publisher.
 */
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

/**
 * The publisher in the metadata of a version, in the form of the public registry; clients look
 * there for publishes without a secret.
 */
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
