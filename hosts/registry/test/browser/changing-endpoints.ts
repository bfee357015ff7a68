import { loadActions } from "@sealhouse/administration/api";
import { createRegistryPages } from "@sealhouse/console";
import type { RegistrySources } from "@sealhouse/console";
import { NPM_ROUTES } from "@sealhouse/npm-protocol";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import { createMemoryNuGetPorts } from "@sealhouse/nuget-protocol/testing";
import { OCI_ENDPOINTS } from "@sealhouse/oci-distribution";
import { createOperationsApp } from "../../src/operations/operations.ts";
import { loadConfig } from "../../src/settings/load.ts";

export type Endpoint = {
  readonly surface: "nuget" | "npm" | "oci" | "console" | "operations";
  readonly method: string;
  /** Below the address of the surface, with example names. */
  readonly path: string;
};

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Methods that a route for all methods answers, as far as they can change something. */
const CHANGES = ["POST", "PUT", "PATCH", "DELETE"];

/** Every endpoint that may change something. */
export function changingEndpoints(): readonly Endpoint[] {
  const changing = allEndpoints().filter(({ method }) => !READS.has(method));
  const byText = new Map(
    changing.map((endpoint) => [
      `${endpoint.surface} ${endpoint.method} ${endpoint.path}`,
      endpoint,
    ]),
  );
  return [...byText.values()];
}

/** Every endpoint of the host, from the routes of its apps and the tables of its routers. */
export function allEndpoints(): readonly Endpoint[] {
  return [
    ...routesOf(createNuGetApp(createMemoryNuGetPorts().ports)).map(of("nuget")),
    ...NPM_ROUTES.flatMap(({ path, methods }) =>
      methods.map((method) => of("npm")({ path, method })),
    ),
    ...Object.values(OCI_ENDPOINTS).flatMap(({ path, methods }) =>
      methods.map((method) => of("oci")({ path, method })),
    ),
    ...routesOf(createRegistryPages(unused<RegistrySources>())).map(of("console")),
    ...FORMS.map(of("console")),
    ...routesOf(operationsApp()).map(of("operations")),
  ];
}

/** The forms of actions at their own pages, whose router is opened by the first request. */
const FORMS = (await loadActions()).flatMap(({ form }) =>
  "button" in form ? [{ path: form.page, method: "POST" }] : [],
);

type Routed = { readonly routes: readonly { readonly path: string; readonly method: string }[] };

/** Middleware, which has the path `/*`, is not an endpoint. */
function routesOf({ routes }: Routed): Routed["routes"] {
  return routes.flatMap(({ path, method }) => {
    if (method !== "ALL") return [{ path, method }];
    return path === "/*" ? [] : CHANGES.map((change) => ({ path, method: change }));
  });
}

function operationsApp(): Routed {
  const { config } = loadConfig({
    env: { ASPNETCORE_ENVIRONMENT: "Development" },
    workingFolder: "/nowhere",
  });
  type Parts = Parameters<typeof createOperationsApp>;
  const core = unused<Parts[0]>({ config });
  return createOperationsApp(core, unused<Parts[1]>(), unused<Parts[2]>());
}

function of(surface: Endpoint["surface"]) {
  return ({ path, method }: { readonly path: string; readonly method: string }) => ({
    surface,
    method,
    path: filled(path, surface),
  });
}

const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const DIGEST = `sha256:${"0".repeat(64)}`;
const VALUES: Readonly<Record<string, string>> = {
  "{package}": "demo",
  "{tag}": "next",
  "{revision}": "1-0",
  "{name}": "alice",
  "{reference}": "v1",
  "{digest}": DIGEST,
  "{*}": "demo",
  ":id": "Demo",
  ":version": "1.0.0",
};

function filled(path: string, surface: Endpoint["surface"]): string {
  if (surface === "console" && path.startsWith("/images/")) {
    return path.replace("*", "acme/app:v1/delete");
  }
  const names = surface === "oci" ? { ...VALUES, "{name}": "acme/app" } : VALUES;
  return path.replaceAll(/\{[^}]+\}|:[a-z]+(?=\/|$)/g, (name) => names[name] ?? UUID);
}

/** Ports of an app whose routes alone are read: other members are functions with members. */
function unused<T extends object>(members: Partial<T> = {}): T {
  const member: object = new Proxy(() => undefined, { get: () => member });
  const get = (_: object, name: string) => Reflect.get(members, name) ?? member;
  return new Proxy({}, { get }) as T;
}
