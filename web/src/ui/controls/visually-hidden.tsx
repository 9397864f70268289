import { type ComponentPropsWithRef, createElement } from 'react';
import styles from './visually-hidden.module.css';

interface VisuallyHiddenProps extends ComponentPropsWithRef<'span'> {
  component?: 'span' | 'div' | 'p' | 'bdi';
}

/** A text for screen readers only. */
export function VisuallyHidden({ component = 'span', ...props }: VisuallyHiddenProps) {
  return createElement(component, { ...props, className: styles.hidden });
}
