// Runs `sealhouse` from source for trying it out: Development, http://localhost:8080, data in
// ./data. `pnpm start` comes here with the word `serve`, `pnpm sealhouse …` with its own words, so
// both mean the same host. Settings may follow (`pnpm start --Feed:Name=acme`) or stand in the
// environment.
//
// Installs what the host needs, and nothing that only tests need. Plain JavaScript, because the
// system's Node may be too old for TypeScript: then the pinned one is installed too.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const NODE_MIN = 24;
const root = fileURLToPath(new URL("..", import.meta.url));
const inRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const isNodeNew = Number(process.versions.node.split(".")[0]) >= NODE_MIN;
const ownNode = inRoot("node_modules/.bin/node");
install();
const program = isNodeNew ? process.execPath : ownNode;
const host = spawn(
  program,
  [
    "--conditions=@sealhouse/source",
    inRoot("hosts/registry/src/main.ts"),
    ...process.argv.slice(2),
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      ...unlessSet("ASPNETCORE_ENVIRONMENT", "Development", ["SEALHOUSE_ENVIRONMENT"]),
      ...unlessSet("ASPNETCORE_URLS", "http://localhost:8080", ["URLS"]),
    },
  },
);

// Ctrl-C reaches the whole group by itself; a signal to this process alone must be passed on.
process.on("SIGTERM", () => host.kill("SIGTERM"));
process.on("SIGINT", () => undefined);
host.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 130);
});

/** Installs when the lock file has changed since the last time. A full installation stays full. */
function install() {
  const stamp = inRoot("node_modules/.sealhouse-start");
  const lockFile = createHash("sha256")
    .update(readFileSync(inRoot("pnpm-lock.yaml")))
    .digest("hex");
  const isCurrent = existsSync(stamp) && readFileSync(stamp, "utf8") === lockFile;
  if (isCurrent && (isNodeNew || existsSync(ownNode))) return;
  const isFull = existsSync(inRoot("node_modules/.bin/vitest"));
  const some = ["--prod", "--filter-prod=@sealhouse/registry..."];
  if (!isNodeNew) some.push("--filter-prod=sealhouse-workspace");
  const args = ["install", "--frozen-lockfile", "--prefer-offline", ...(isFull ? [] : some)];
  const pnpm = process.env.npm_execpath;
  const isScript = pnpm !== undefined && /\.[cm]?js$/.test(pnpm);
  const [command, first] = isScript ? [process.execPath, [pnpm]] : [pnpm ?? "pnpm", []];
  // Standard output is the command's: `token create` prints the token there.
  const run = spawnSync(command, [...first, ...args], {
    cwd: root,
    stdio: ["ignore", process.stderr.fd, "inherit"],
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
  writeFileSync(stamp, lockFile);
}

function unlessSet(name, value, aliases) {
  const set = new Set(Object.keys(process.env).map((key) => key.toUpperCase()));
  return [name, ...aliases].some((key) => set.has(key)) ? {} : { [name]: value };
}
