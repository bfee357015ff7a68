// Runs `sealhouse` from source for trying it out: Development, http://localhost:8080, data in
// ./data. `pnpm start` comes here with the word `serve`, `pnpm sealhouse …` with its own words, so
// both mean the same host. Settings may follow (`pnpm start --Feed:Name=acme`) or stand in the
// environment.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = fileURLToPath(new URL("../hosts/registry/src/main.ts", import.meta.url));

const host = spawn(
  process.execPath,
  ["--conditions=@sealhouse/source", main, ...process.argv.slice(2)],
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

function unlessSet(
  name: string,
  value: string,
  aliases: readonly string[],
): Record<string, string> {
  const set = new Set(Object.keys(process.env).map((key) => key.toUpperCase()));
  return [name, ...aliases].some((key) => set.has(key)) ? {} : { [name]: value };
}
