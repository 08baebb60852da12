<?php

namespace Tillseal\Error;

/** 429, 5xx: send the same again after `$retryAfterSeconds`. */
final class UnavailableException extends ProblemException {}
