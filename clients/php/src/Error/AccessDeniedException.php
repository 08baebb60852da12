<?php

namespace Tillseal\Error;

/** 401, 403: use a valid token. */
final class AccessDeniedException extends ProblemException {}
