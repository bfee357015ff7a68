// Runs the command line from source, for trying it out: Development, http://localhost:8080, data in
// ./data. `./sealhouse` comes here; on Windows, run `node tools/start.mjs`. Settings may follow the
// words of a command (`./sealhouse serve --Feed:Name=acme`) or stand in the environment. `pnpm dev`
// is `--watch serve`: Node restarts the host when a source changes that it has loaded.
//
// Installs what the host needs, and nothing that only tests need. Plain JavaScript, because the
// system's Node may be too old for TypeScript: then the pinned one is installed too.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const NODE_MIN = 24;
/** The oldest Node that runs pnpm. */
const LAUNCHER_MIN = 20;
/** What shells report for a program that cannot be run. */
const NOT_RUN = 126;
const inRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const nodeMajor = Number(process.versions.node.split(".")[0]);
const isNodeNew = nodeMajor >= NODE_MIN;
const ownNode = inRoot("node_modules/.bin/node");
if (nodeMajor < LAUNCHER_MIN) {
  fail(`sealhouse needs Node ${LAUNCHER_MIN} or newer; this is Node ${process.versions.node}.`);
}
install();
const words = process.argv.slice(2);
const isWatched = words[0] === "--watch";
run(isNodeNew ? process.execPath : ownNode, [
  ...(isWatched ? ["--watch", "--watch-preserve-output"] : []),
  "--conditions=@sealhouse/source",
  inRoot("hosts/registry/src/main.ts"),
  ...(isWatched ? words.slice(1) : words),
]);

/** Replaces this process, where Node can do that: signals and exit codes are the program's own. */
function run(program, args) {
  const env = {
    ...process.env,
    ...unlessSet("ASPNETCORE_ENVIRONMENT", "Development", ["SEALHOUSE_ENVIRONMENT"]),
    ...unlessSet("ASPNETCORE_URLS", "http://localhost:8080", ["URLS"]),
    // Compiled TypeScript: the second command takes a third of the time of the first.
    ...unlessSet("NODE_COMPILE_CACHE", inRoot("node_modules/.cache/sealhouse"), []),
  };
  if (process.execve) process.execve(program, [program, ...args], env);
  const host = spawn(program, args, { stdio: "inherit", env });
  // Ctrl-C reaches the whole group by itself; a signal to this process alone must be passed on.
  process.on("SIGTERM", () => host.kill("SIGTERM"));
  process.on("SIGINT", () => undefined);
  host.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 130);
  });
}

/** Installs when the lock file has changed since the last time. A full installation stays full. */
function install() {
  const stamp = inRoot("node_modules/.sealhouse-start");
  const lockText = readFileSync(inRoot("pnpm-lock.yaml"), "utf8");
  const lockFile = createHash("sha256").update(lockText).digest("hex");
  const isFull = existsSync(inRoot("node_modules/.bin/vitest"));
  const isCurrent =
    textOf(stamp) === lockFile ||
    (isFull && textOf(inRoot("node_modules/.pnpm/lock.yaml")) === lockText);
  if (isCurrent && (isNodeNew || existsSync(ownNode))) return;
  const some = ["--prod", "--filter-prod=@sealhouse/registry..."];
  if (!isNodeNew) some.push("--filter-prod=sealhouse-workspace");
  const args = ["install", "--frozen-lockfile", "--prefer-offline", ...(isFull ? [] : some)];
  const [command, ...first] = pnpm();
  // Standard output is the command's: `token create` prints the token there.
  const { status, error } = spawnSync(command, [...first, ...args], {
    cwd: inRoot(""),
    stdio: ["ignore", process.stderr.fd, "inherit"],
    // npx is a batch file on Windows.
    shell: process.platform === "win32",
  });
  if (error) fail(`sealhouse could not install its packages: "${command}": ${error.message}.`);
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, lockFile);
}

/**
 * The pnpm that runs this script, or the pinned one by npx: an exact version, which npm finds in its
 * cache the next time, and `-y`, because npx would ask a question.
 */
function pnpm() {
  const { npm_execpath: path = "" } = process.env;
  if (/\bpnpm\b/.test(path)) {
    return /\.[cm]?js$/.test(path) ? [process.execPath, path] : [path];
  }
  const { packageManager } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  return ["npx", "-y", packageManager];
}

function textOf(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function unlessSet(name, value, aliases) {
  const set = new Set(Object.keys(process.env).map((key) => key.toUpperCase()));
  return [name, ...aliases].some((key) => set.has(key)) ? {} : { [name]: value };
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(NOT_RUN);
}
