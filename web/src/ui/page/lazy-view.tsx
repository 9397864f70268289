import { type ComponentType, createElement, lazy, type ReactNode, useState } from 'react';

/** A component whose file is loaded when it is rendered, or before. */
export interface LazyView<Props> {
  (props: Props): ReactNode;
  /** Loads the file; components that are mounted afterwards are there at once, without a fallback. */
  load(): Promise<void>;
}

/** @param name of the component in its file */
export function lazyView<Name extends string, Props extends object>(
  importFile: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): LazyView<Props> {
  const load = async (): Promise<ComponentType<Props>> => (await importFile())[name];
  let loaded: ComponentType<Props> | undefined;
  const Lazy = lazy(async () => ({ default: await load() }));
  function View(props: Props): ReactNode {
    // What is mounted stays: another component would lose its state.
    const [Component] = useState<ComponentType<Props>>(() => loaded ?? Lazy);
    return createElement(Component, props);
  }
  return Object.assign(View, {
    load: async () => {
      loaded ??= await load();
    },
  });
}
