import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { Loader } from './loader.tsx';

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'className'> {
  className?: string | undefined;
  /** Default: `filled`. */
  variant?: 'filled' | 'light' | 'default' | 'subtle';
  /** Default: `sm`. */
  size?: 'xs' | 'sm' | 'md' | 'compact-sm';
  fullWidth?: boolean;
  /** What it does cannot be undone. */
  isDangerous?: boolean;
  /** A ring that turns takes the place of the text, and the button is disabled. */
  loading?: boolean;
  /** Before the text, such as an icon. */
  leftSection?: ReactNode;
  /** A path of the page: it is a link. */
  href?: string;
}

/** A button, or a link that looks like one. */
export function Button(props: ButtonProps) {
  const {
    variant = 'filled',
    size = 'sm',
    fullWidth,
    isDangerous,
    loading = false,
    leftSection,
    className,
    children,
    href,
    ...rest
  } = props;
  const looks = {
    className: className === undefined ? styles.button : `${styles.button} ${className}`,
    'data-variant': variant,
    'data-size': size,
    'data-wide': fullWidth || undefined,
    'data-danger': isDangerous || undefined,
    'data-with-start': Boolean(leftSection) || undefined,
  };
  const content = (
    <>
      {leftSection}
      {children}
    </>
  );
  if (href !== undefined)
    return (
      // What a link takes of a button: labels, handlers, test ids.
      <Link {...(rest as ComponentPropsWithRef<'a'>)} {...looks} href={href}>
        {content}
      </Link>
    );
  return (
    <button type="button" {...rest} {...looks} disabled={rest.disabled || loading}>
      {loading ? <Loader size="xs" /> : content}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'className'> {
  className?: string | undefined;
  /** Default: `filled`. */
  variant?: 'filled' | 'subtle';
}

/** A button with an icon alone; it needs an `aria-label`. */
export function IconButton({ variant = 'filled', className = '', ...rest }: IconButtonProps) {
  return <button type="button" {...rest} className={`${styles.icon} ${className}`} data-variant={variant} />;
}
