import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestMetrics } from "./request-metrics.ts";

/** Called once for each request, before anything answers it. */
export type ObserveRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Counts every request when it ends, those included that a shortcut answers. */
export function createObserveRequest<Surface extends string>(
  surfaceOf: (incoming: IncomingMessage) => Surface,
  metrics: Pick<RequestMetrics<Surface>, "observe">,
): ObserveRequest {
  return (incoming, outgoing) => {
    const startedAt = performance.now();
    const { socket } = incoming;
    const sent = socket.bytesWritten;
    outgoing.once("close", () => {
      const status = outgoing.headersSent ? outgoing.statusCode : 0;
      const ms = performance.now() - startedAt;
      metrics.observe(surfaceOf(incoming), { status, ms, bytes: socket.bytesWritten - sent });
    });
  };
}
