import { type AnyRoute, Link as RouterLink, useRouter } from '@tanstack/react-router';
import type { FunctionComponent, ReactNode, Ref } from 'react';
import type { Address } from '../api/answers.ts';
import { useMay } from '../api/session.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The operation that fills the page: who may not use it does not see the page, nor links to it. */
    readonly of?: Address | undefined;
  }
}

export interface LinkProps {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** The router's link with plain types: Mantine's components take it as what they are made of. */
export const Link = RouterLink as unknown as FunctionComponent<LinkProps>;

/** Whether the page at an address of the console is one that somebody may see. */
export function useMayOpen(to: string): boolean {
  const routes: Readonly<Record<string, AnyRoute | undefined>> = useRouter().routesByPath;
  return useMay(routes[to]?.options.staticData?.of);
}
