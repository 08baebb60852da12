import { Link as RouterLink } from '@tanstack/react-router';
import type { FunctionComponent, ReactNode, Ref } from 'react';

export interface LinkProps {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** The router's link with plain types: Mantine's components take it as what they are made of. */
export const Link = RouterLink as unknown as FunctionComponent<LinkProps>;
