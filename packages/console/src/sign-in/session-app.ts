import { Hono } from "hono";
import { addAccountRoutes } from "./account-routes.ts";
import { addConfirmRoutes } from "./confirm-routes.ts";
import type { SendAgain } from "./confirm-routes.ts";
import { addFirstRoutes } from "./first-routes.ts";
import { addPasskeyRoutes } from "./passkey-routes.ts";
import { addProviderRoutes } from "./provider-routes.ts";
import type { SessionPorts } from "./session-ports.ts";
import { addTokenSignIn } from "./token-sign-in.ts";

/** Serves the pages that sign in and out. `sendAgain`: answers a form that was confirmed. */
export function createSessionApp(ports: SessionPorts, sendAgain: SendAgain): Hono {
  const app = new Hono();
  addTokenSignIn(app, ports);
  addAccountRoutes(app, ports);
  addPasskeyRoutes(app, ports);
  addConfirmRoutes(app, ports, sendAgain);
  if (ports.flow) addProviderRoutes(app, ports, ports.flow);
  if (ports.first) addFirstRoutes(app, ports, ports.first);
  return app;
}
