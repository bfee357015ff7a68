import { ValueNode } from "#kysely";
import type { Expression, OperationNode } from "#kysely";
import type { Kind, Kinds, Values } from "./kinds.ts";

/** A placeholder for a value of each execution, usable as a Kysely expression. */
export class Parameter<T> implements Expression<T> {
  readonly name: string;
  readonly kind: Kind<T>;

  constructor(name: string, kind: Kind<T>) {
    this.name = name;
    this.kind = kind;
  }

  get expressionType(): T | undefined {
    return undefined;
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(this);
  }
}

/** The parameters of a statement, as `build` gets them. */
export type Parameters<P extends Kinds> = {
  readonly [Name in keyof P]: Parameter<NonNullable<Values<P>[Name]>>;
};

/** Creates a parameter for each kind. */
export function parametersOf<P extends Kinds>(kinds: P): Parameters<P> {
  const entries = Object.entries(kinds).map(([name, kind]) => [name, new Parameter(name, kind)]);
  return Object.fromEntries(entries) as Parameters<P>;
}
