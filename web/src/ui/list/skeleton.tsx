import { createElement } from 'react';
import styles from './skeleton.module.css';

interface SkeletonProps {
  component?: 'div' | 'span';
  /** In pixels. */
  height: number;
  /** In pixels, or in per cent of what is around it; default: all of it. */
  width?: number | string;
  /** As wide as high. */
  circle?: boolean;
  /** In pixels. */
  marginTop?: number;
}

/** In place of a text or a picture that is being loaded. */
export function Skeleton({ component = 'div', height, width, circle = false, marginTop }: SkeletonProps) {
  return createElement(component, {
    className: styles.skeleton,
    'data-grey': '',
    style: { height, width: circle ? height : width, marginTop },
  });
}
