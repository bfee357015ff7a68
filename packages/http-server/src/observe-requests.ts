import type { IncomingMessage, ServerResponse } from "node:http";

/** Takes the outcome of each request. */
export type RequestObserver<Surface extends string = string> = {
  /** Cheap enough for every request. `status` 0: the connection broke before an answer. */
  observe(
    surface: Surface,
    ended: { readonly status: number; readonly ms: number; readonly bytes: number },
  ): void;
};

/** Called once for each request, before anything answers it. */
export type ObserveRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Counts every request when it ends, those included that a shortcut answers. */
export function createObserveRequest<Surface extends string>(
  surfaceOf: (incoming: IncomingMessage) => Surface,
  metrics: RequestObserver<Surface>,
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
