/** A sentence for the operator. A `refused` source is not used; an `ignored` part only is not. */
export type ConfigRemark = {
  readonly kind: "refused" | "ignored";
  /** Key of the source. */
  readonly key: string;
  readonly text: string;
};
