<?php

namespace Tillseal\Error;

/** The base of everything that this package throws on purpose. */
abstract class TillsealException extends \RuntimeException {}
