import type { SettingsTable } from "@sealhouse/settings";

/** Settings of publishing with ID tokens of build services. */
export const TRUSTED_PUBLISHING_SETTINGS = {
  Feed__Npm__TrustedPublishing__Enabled: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Lets build jobs that `npm trust` names publish without a secret. Needs " +
      "`Feed__PublicBaseUrl`, `Feed__Npm__HostNames` or an audience.",
  },
  Feed__Npm__TrustedPublishing__Audiences: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "`npm:` and the host of each public address",
    about: "What ID tokens may be meant for beside that.",
  },
  Feed__Npm__TrustedPublishing__GitHub__Issuer: {
    kind: { type: "url" },
    fallback: "https://token.actions.githubusercontent.com",
    about:
      "Who signs the ID tokens of GitHub Actions; another one for GitHub Enterprise. Whoever was " +
      "trusted before it was changed is not trusted any more.",
  },
  Feed__Npm__TrustedPublishing__GitLab__Issuer: {
    kind: { type: "url" },
    fallback: "https://gitlab.com",
    about: "Who signs the ID tokens of GitLab CI/CD: the address of an instance.",
  },
  Feed__Npm__TrustedPublishing__CircleCI__Issuer: {
    kind: { type: "url" },
    otherwise: "CircleCI is not trusted",
    about:
      "Who signs the ID tokens of CircleCI: `https://oidc.circleci.com/org/<id>`, with the id of " +
      "the organization.",
  },
} as const satisfies SettingsTable;
