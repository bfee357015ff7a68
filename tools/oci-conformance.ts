// Examines any OCI registry from outside, case by case, and prints a table:
// `pnpm oci-conformance https://registry.example`, with `--help` for who it comes as. Pushes to new
// repositories below a namespace and leaves them there. Exits 1 when a case failed or was skipped.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  conformanceTable,
  totalsOf,
} from "../packages/oci-distribution/src/testing/conformance/conformance-table.ts";
import type {
  ConformanceTarget,
  Send,
} from "../packages/oci-distribution/src/testing/conformance/conversation.ts";
import { runConformance } from "../packages/oci-distribution/src/testing/conformance/run-conformance.ts";
import {
  sendAs,
  sendPlainly,
  sendReadsAs,
} from "../packages/oci-distribution/src/testing/conformance/send-as.ts";

const HELP = `usage: pnpm oci-conformance <url> [options]

  --namespace <name>         Pushes to <name>/<something new>/... (default: conformance).
  --username <name>          User that pushes (OCI_USERNAME, OCI_PASSWORD).
  --read-anonymously         Pulls without credentials.
  --public-namespace <name>  Everyone may pull below it. The user may push.
  --stranger <name>          A user who may push below --stranger-namespace, and read
                             nothing else (OCI_STRANGER_PASSWORD).
  --stranger-namespace <name>
  --pusher <name>            A user who may pull and push (OCI_PUSHER_PASSWORD).
  --revoked <name>           A user with a revoked password (OCI_REVOKED_PASSWORD).
  --fixed-tag <ns>:<tag>     A tag that may not move below this namespace.
  --upload-expiry <seconds>  Idle uploads expire after this time.
  --only <ids>               Runs only cases with these numbers, such as H12,1.2/4.
  --json <file>              Writes the results as JSON.
  --allow-skips              Exits 0 although cases were skipped.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    namespace: { type: "string", default: "conformance" },
    username: { type: "string" },
    "read-anonymously": { type: "boolean", default: false },
    "public-namespace": { type: "string" },
    stranger: { type: "string" },
    "stranger-namespace": { type: "string", default: "elsewhere" },
    pusher: { type: "string" },
    revoked: { type: "string" },
    "fixed-tag": { type: "string" },
    "upload-expiry": { type: "string" },
    only: { type: "string" },
    json: { type: "string" },
    "allow-skips": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const registry = URL.parse(positionals[0] ?? "");
if (values.help || !registry || positionals.length !== 1) {
  console.error(HELP);
  process.exit(values.help ? 0 : 2);
}

const results = await runConformance(targetOf(registry), {
  ...(values.only !== undefined && { only: values.only.split(",") }),
  onResult: ({ status, ids, name }) => {
    if (process.stderr.isTTY) console.error(`${status.padEnd(5)} ${ids.join(" ")} ${name}`);
  },
});
console.log(conformanceTable(results));
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, undefined, 2));
const { pass, fail, skip } = totalsOf(results);
// An unfinished upload of a registry is not a reason to wait.
process.exit(fail > 0 || pass === 0 || (skip > 0 && !values["allow-skips"]) ? 1 : 0);

function targetOf(url: URL): ConformanceTarget {
  const anonymous = sendPlainly({ registry: url });
  const owner = userOf(values.username ?? process.env["OCI_USERNAME"], "OCI_PASSWORD");
  const stranger = userOf(values.stranger, "OCI_STRANGER_PASSWORD");
  const pusher = userOf(values.pusher, "OCI_PUSHER_PASSWORD");
  const revoked = userOf(values.revoked, "OCI_REVOKED_PASSWORD");
  const publicNamespace =
    values["public-namespace"] ?? (values["read-anonymously"] ? values.namespace : undefined);
  const fixed = values["fixed-tag"]?.split(":");
  const expiry = Number(values["upload-expiry"]);
  return {
    fetch: values["read-anonymously"]
      ? sendReadsAs(as(url, undefined), as(url, owner))
      : as(url, owner),
    namespace: values.namespace,
    ...(owner && { anonymous, credentials: owner }),
    ...(publicNamespace !== undefined && { publicNamespace }),
    ...(stranger && {
      stranger: { fetch: as(url, stranger), namespace: values["stranger-namespace"] },
    }),
    ...(pusher && { pusher: as(url, pusher) }),
    ...(revoked && { revoked }),
    ...(fixed && { fixedTag: { namespace: fixed[0] ?? "", tag: fixed[1] ?? "" } }),
    ...(expiry > 0 && { uploadExpirySeconds: expiry }),
  };
}

type User = { readonly username: string; readonly password: string };

function userOf(username: string | undefined, variable: string): User | undefined {
  if (username === undefined) return undefined;
  const password = process.env[variable];
  if (password !== undefined && password !== "") return { username, password };
  console.error(`The environment variable ${variable} is not set, which holds the password.`);
  process.exit(2);
}

function as(url: URL, user: User | undefined): Send {
  return sendAs({ registry: url, ...(user && { credentials: { type: "basic", ...user } }) });
}
