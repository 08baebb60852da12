import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
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

interface LinkProps {
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

type Look = AnchorProps & { readonly children?: ReactNode };

/** A link within the console; its words alone for who may not open that page. */
export function TextLink(props: LinkProps & AnchorProps) {
  if (!useMayOpen(props.to)) return <span className="wrap-anywhere">{props.children}</span>;
  return <Anchor component={Link} size="sm" className="wrap-anywhere" {...props} />;
}

/** The same as a button, which is not offered to who may not open that page. */
export function LinkButton(props: LinkProps & Omit<ButtonProps, 'children'>) {
  return useMayOpen(props.to) && <Button component={Link} variant="default" {...props} />;
}

/** A link to a page outside of it, or to a file. */
export function OuterLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" size="sm" className="wrap-anywhere">
      {children}
    </Anchor>
  );
}

/** What an error code means and what to do about it. */
export function ErrorLink({ code, children }: { readonly code: string; readonly children: ReactNode }) {
  return <OuterLink href={`/docs/errors#${code}`}>{children}</OuterLink>;
}

export function DeviceLink({ deviceId, ...look }: Look & { readonly deviceId: number }) {
  return <TextLink to="/devices/$deviceId" params={{ deviceId: String(deviceId) }} {...look} />;
}

export function ReceiptLink(props: Look & { readonly deviceId: number; readonly globalCounter: number }) {
  const { deviceId, globalCounter, ...look } = props;
  const params = { deviceId: String(deviceId), globalCounter: String(globalCounter) };
  return <TextLink to="/receipts/$deviceId/$globalCounter" params={params} {...look} />;
}

export function TaxpayerLink({ taxpayerId, ...look }: Look & { readonly taxpayerId: string }) {
  return <TextLink to="/taxpayers/$taxpayerId" params={{ taxpayerId }} {...look} />;
}

export function PaymentLink({ reference, ...look }: Look & { readonly reference: string }) {
  return <TextLink to="/payments/$billPayReference" params={{ billPayReference: reference }} {...look} />;
}

export function InvoiceLink({ reference, ...look }: Look & { readonly reference: string }) {
  return <TextLink to="/invoices/$reference" params={{ reference }} {...look} />;
}

export function BillerLink({ code, children, ...look }: Look & { readonly code: string }) {
  return (
    <TextLink to="/billers/$billerCode" params={{ billerCode: code }} {...look}>
      {children ?? code}
    </TextLink>
  );
}

export function VendorLink({ vendorId, tab, ...look }: Look & { readonly vendorId: string; readonly tab?: string }) {
  return <TextLink to="/vendors/$vendorId" params={{ vendorId }} {...(tab && { search: { tab } })} {...look} />;
}

export function EndpointLink({ endpointId, ...look }: Look & { readonly endpointId: string }) {
  return <TextLink to="/endpoints/$endpointId" params={{ endpointId }} {...look} />;
}
