import type { ApprovedLogin, ConfirmedLogin, DeniedLogin } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

/** Prints decisions about sign-ins and confirmations. */
export const LOGIN_PRINTS = {
  "npm.login": printOf<ApprovedLogin>({
    text({ name, scopes, expiresAt, isOfOperators, ...asked }, { stderr }) {
      if (isOfOperators) {
        stderr(
          `${name} is no user or service account, so the token has the rights of the operators: ` +
            "all names within its limits, also those of owners.",
        );
      }
      const until = expiresAt === undefined ? "without expiry" : `until ${expiresAt}`;
      const client = clientOf(asked);
      stderr(`Approved: ${client} signs in as ${name} (${scopes.join(", ")}) ${until}.`);
    },
  }),
  "npm.confirm": printOf<ConfirmedLogin>({
    text({ subject, address, askedAt }, { stderr }) {
      const from = address === undefined ? "" : ` from ${address}`;
      stderr(
        `Confirmed: ${subject}, asked for${from} at ${askedAt}. ` +
          "The one-time password is the code itself, once.",
      );
    },
  }),
  "npm.deny": printOf<DeniedLogin>({
    text({ subject, ...asked }, { stderr }) {
      const what = subject === undefined ? "" : ` for ${subject}`;
      stderr(`${clientOf(asked)}${what} is refused.`);
    },
  }),
};

function clientOf({ address, askedAt }: Pick<DeniedLogin, "address" | "askedAt">): string {
  return `the client${address === undefined ? "" : ` at ${address}`} that asked at ${askedAt}`;
}
